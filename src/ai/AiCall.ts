import type { AiPurpose } from "../../schema/AiRuns.ts"
import type { CustomerID, DocumentID, ModelID, PlaceDescriptionRoomID, TicketMessageID } from "../../schema/Ids.ts"
import type { Slot } from "../customers/ModelsRepo.ts"

export interface AiImage {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Which model may answer a question of a customer's. */
export interface ModelChoice {
  readonly customerID: CustomerID
  /** The usage that the model must fit; the customer's default for it answers unless one is named. */
  readonly slot: Slot
  readonly modelID?: ModelID
  readonly modelName?: string
  readonly images?: ReadonlyArray<AiImage>
  /** Whether there will be some, for who has not read them yet. */
  readonly withImages?: boolean
}

/** One question to a model: what it is for, which model may answer it, and the prompt. */
export interface AiCall extends ModelChoice {
  readonly purpose: AiPurpose
  readonly promptVersion: string
  readonly system: string
  readonly user: string
  /** What the prompt was rendered from, as JSON: another version of it can be tried on the same later. */
  readonly input?: unknown
  /** What to do when the provider takes too long. Given for a call that is not tried again then: it would take as long. */
  readonly whenSlow?: string
  /** What the ledger remembers beside the call. */
  readonly ticketMessageID?: TicketMessageID
  /** Of a report, when the question is about that. */
  readonly roomID?: PlaceDescriptionRoomID
  readonly documents?: ReadonlyArray<{ readonly documentID: DocumentID; readonly version: number }>
  /** The messages that the question quotes, besides the one that it is about: with them it is erased, too. */
  readonly quotes?: ReadonlyArray<TicketMessageID>
}
