import type { AiPurpose } from "../../schema/AiRuns.ts"
import type { CustomerID, DocumentID, ModelID, PlaceDescriptionRoomID, TicketMessageID } from "../../schema/Ids.ts"
import type { Slot } from "../customers/ModelsRepo.ts"

export interface AiImage {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Which model may answer a customer's question. */
export interface ModelChoice {
  readonly customerID: CustomerID
  /** The usage that the model must fit; unless a model is named, the customer's default for this usage answers. */
  readonly slot: Slot
  readonly modelID?: ModelID
  readonly modelName?: string
  readonly images?: ReadonlyArray<AiImage>
  /** Whether the call will have images, for a check made before they are read. */
  readonly withImages?: boolean
}

/** One question to a model: what it is for, which model may answer it, and the prompt. */
export interface AiCall extends ModelChoice {
  readonly purpose: AiPurpose
  readonly promptVersion: string
  readonly system: string
  readonly user: string
  /** What the prompt was rendered from, as JSON, so that another version of it can be tried on the same input later. */
  readonly input?: unknown
  /**
   * What the caller should do when the provider takes too long. Such a call is not retried then: it would take as long
   * again.
   */
  readonly whenSlow?: string
  /** Recorded in the ledger along with the call. */
  readonly ticketMessageID?: TicketMessageID
  /** The room of a report, when the question is about one. */
  readonly roomID?: PlaceDescriptionRoomID
  readonly documents?: ReadonlyArray<{ readonly documentID: DocumentID; readonly version: number }>
  /** Other messages that the prompt quotes: when one of them is erased, the text of this call is erased too. */
  readonly quotes?: ReadonlyArray<TicketMessageID>
}
