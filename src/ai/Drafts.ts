import { Context, Effect, Layer } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { AiRunID, CustomerID, DocumentID, TicketMessageID } from "../../schema/Ids.ts"
import type { Slot } from "../customers/ModelsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { type DraftInput, draftPrompt, mostDocuments } from "./prompts/Draft.ts"
import { callWith } from "./prompts/Prompt.ts"

interface DraftDocument {
  readonly documentID: DocumentID
  readonly version: number
  readonly title: string
  /** The text of the document, or what its data retrieval returned. */
  readonly content: string
}

interface DraftRequest extends Omit<DraftInput, "documents"> {
  readonly customerID: CustomerID
  readonly ticketMessageID: TicketMessageID
  /** The most relevant one first. */
  readonly documents: ReadonlyArray<DraftDocument>
  readonly modelName?: string
  /** The messages of the history. */
  readonly quotes: ReadonlyArray<TicketMessageID>
}

interface Draft {
  readonly text: string
  /** The call's row in the ledger, if that is written by now. */
  readonly aiRunID: AiRunID | null
}

/** Drafts answers. The caller decides whether a person reviews them first. */
export class Drafts extends Context.Tag("casework/Drafts")<
  Drafts,
  { readonly draft: (request: DraftRequest) => Effect.Effect<Draft, BadRequest | BadGateway> }
>() {
  static readonly layer = Layer.effect(
    Drafts,
    Effect.suspend(() => make)
  )
}

const slotOf: Readonly<Record<ChannelType, Slot>> = {
  Email: "EmailText",
  WhatsApp: "EmailText",
  Chat: "Webchat",
  Phone: "Call"
}

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  return Drafts.of({
    draft: fn("Drafts.draft")(function* ({ customerID, modelName, quotes, ticketMessageID, ...input }) {
      const documents = input.documents.slice(0, mostDocuments)
      const call = yield* callWith(
        draftPrompt,
        { ...input, documents: documents.map(({ content, title }) => ({ content, title })) },
        {
          customerID,
          ticketMessageID,
          quotes,
          slot: slotOf[input.channelType],
          documents: documents.map(({ documentID, version }) => ({ documentID, version })),
          ...(modelName !== undefined && { modelName })
        }
      )
      const { aiRunID, value } = yield* ai.text(call)
      return { text: value, aiRunID }
    })
  })
})
