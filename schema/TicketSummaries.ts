import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { BadGateway, NotFound } from "./Errors.ts"
import { pathId, TicketID } from "./Ids.ts"

const Summary = Schema.String.annotations({ identifier: "HistorySummary", examples: ["A tenant lost the key."] })

export class TicketSummariesApi extends HttpApiGroup.make("ticketSummaries")
  .add(
    HttpApiEndpoint.get("getHistorySummary")`/tickets/${pathId(TicketID)}/history-summary`
      .addSuccess(Summary)
      .addError(NotFound)
      .addError(BadGateway)
      .annotateContext(
        OpenApi.annotations({
          summary: "Summarise a ticket",
          description:
            "What happened so far, written by AI and kept until the next message. Empty if there are no messages."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Ticket summaries", description: "Short summaries of long conversations." })
  ) {}
