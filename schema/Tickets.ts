import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { ParseResult, Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { largestBulk } from "./Bulk.ts"
import { ChannelType, channelTypes } from "./ChannelTypes.ts"
import { CustomFields, CustomFieldsWrite } from "./CustomFields.ts"
import { Conflict, NotFound } from "./Errors.ts"
import {
  anyCase,
  Body,
  BodyWithRule,
  changeable,
  clearable,
  ListUpTo,
  optional,
  Query,
  QueryBoolean,
  TextUpTo
} from "./Fields.ts"
import { ChannelID, CustomerRepID, EndUserID, idFromString, pathId, TicketID } from "./Ids.ts"
import { LanguageTag } from "./LanguageTag.ts"
import { TicketStatus } from "./Operations.ts"
import { Page, paging } from "./Paging.ts"
import { SenderType } from "./TicketMessages.ts"
import { UID } from "./Uid.ts"

export class Ticket extends Schema.Class<Ticket>("Ticket")({
  ticketID: TicketID,
  dateCreated: Schema.DateTimeUtc,
  status: TicketStatus,
  subject: Schema.NullOr(Schema.String),
  channelID: ChannelID,
  channelType: ChannelType,
  endUserID: Schema.NullOr(EndUserID),
  customerRepID: Schema.NullOr(CustomerRepID).annotations({ description: "The representative it is assigned to" }),
  isClosed: Schema.Boolean.annotations({ description: "true exactly if the status is Closed" }),
  isSpam: Schema.Boolean,
  language: Schema.NullOr(Schema.String).annotations({ description: "The end user's language", examples: ["en"] }),
  lastMessageDate: Schema.NullOr(Schema.DateTimeUtc),
  lastSenderType: Schema.NullOr(SenderType).annotations({
    description:
      "Who wrote the last message, apart from answers that could not be delivered and from automatic mail such as absence notices, which counts only where there is nothing else. A bounce counts if a mail system sent it, such as mailer-daemon. While it is EndUser, somebody waits for an answer"
  }),
  topics: Schema.Array(Schema.String).annotations({ description: "The names of the topics of its messages" }),
  aiFeedbackComments: Schema.Array(Schema.String).annotations({
    description: "The comments on messages that were escalated, oldest first"
  }),
  customFieldsData: CustomFields,
  ticketToken: Schema.UUID.annotations({ description: "Lets the end user give feedback without logging in" })
}) {}

const statuses = ["Open", "Pending", "Escalated", "Closed"] as const

const Status = anyCase(statuses)

const Subject = TextUpTo(1000).annotations({ examples: ["My key does not open the front door"] })

export const TicketCreate = Body("TicketCreate", {
  subject: optional(Subject),
  channelID: ChannelID.annotations({ description: "One of your channels" }),
  endUserID: optional(EndUserID).annotations({ description: "One of your end users" }),
  status: optional(anyCase(statuses, "Open")),
  customFieldsData: optional(CustomFieldsWrite)
})
export type TicketCreate = typeof TicketCreate.Type

/** status and isClosed express the same thing, so they must not contradict each other. */
const contradiction = ({ isClosed, status }: Readonly<Record<string, unknown>>) =>
  typeof isClosed === "boolean" &&
  typeof status === "string" &&
  statuses.some((known) => known.toLowerCase() === status.toLowerCase()) &&
  isClosed !== (status.toLowerCase() === "closed")
    ? [{ path: ["isClosed"], message: `contradicts status ${status}` }]
    : []

export const TicketUpdate = BodyWithRule(
  "TicketUpdate",
  {
    subject: clearable(Subject),
    status: changeable(Status),
    isClosed: changeable(Schema.Boolean),
    isSpam: changeable(Schema.Boolean),
    channelID: changeable(ChannelID),
    endUserID: clearable(EndUserID),
    customerRepID: clearable(CustomerRepID).annotations({ description: "Assigns the ticket; null unassigns it" }),
    language: clearable(LanguageTag),
    customFieldsData: clearable(CustomFieldsWrite)
  },
  contradiction
)
export type TicketUpdate = typeof TicketUpdate.Type

const bulkActions = ["close", "reopen", "assign", "escalate", "spam", "notSpam", "delete"] as const

/** Ids may be doubled, but not without end. */
const mostRepeatedIds = 10_000

const distinctIds = (ids: ReadonlyArray<number>) => {
  const count = new Set(ids).size
  return count >= 1 && count <= largestBulk
}

export const TicketBulk = BodyWithRule(
  "TicketBulk",
  {
    ticketIDs: ListUpTo(TicketID, mostRepeatedIds)
      .pipe(
        Schema.filter(distinctIds, {
          message: () => `must be a list of 1 to ${largestBulk} different ids`,
          jsonSchema: { minItems: 1 }
        })
      )
      .annotations({ description: `1 to ${largestBulk} ids; duplicates count once` }),
    action: anyCase(bulkActions),
    customerRepID: optional(CustomerRepID).annotations({ description: "Who the tickets are assigned to; assign only" })
  },
  ({ action, customerRepID }) =>
    typeof action === "string" && action.toLowerCase() === "assign" && (customerRepID ?? null) === null
      ? [{ path: ["customerRepID"], message: "is required when action is assign" }]
      : []
)
export type TicketBulk = typeof TicketBulk.Type

/** Ids separated by commas, in one or several parameters. */
const ChannelIDs = Schema.transformOrFail(
  Schema.Union(Schema.String, Schema.Array(Schema.String)),
  Schema.Array(ChannelID),
  {
    strict: true,
    decode: (given, options) =>
      ParseResult.decodeUnknown(Schema.Array(idFromString(ChannelID)))(
        [given].flat().flatMap((text) => text.split(",").map((id) => id.trim())),
        options
      ),
    encode: (ids) => ParseResult.succeed(ids.join(","))
  }
).annotations({ jsonSchema: { type: "string", examples: ["1,2"] } })

export const ticketPaging = paging({
  sortable: [
    "ticketID",
    "dateCreated",
    "status",
    "subject",
    "channelID",
    "channelType",
    "endUserID",
    "customerRepID",
    "isClosed",
    "isSpam",
    "language",
    "lastMessageDate",
    "lastSenderType",
    "topics",
    "aiFeedbackComments",
    "customFieldsData",
    "ticketToken"
  ],
  sortBy: "dateCreated",
  sortOrder: "desc"
})

export const TicketsQuery = Query({
  ...ticketPaging.query,
  status: changeable(Status),
  channelType: changeable(anyCase(channelTypes)),
  channelIDs: changeable(ChannelIDs).annotations({ description: "Comma-separated, or as a repeated parameter" }),
  UID: changeable(UID).annotations({ description: "Tickets of the end users with this UID, in any case" }),
  customerRepID: changeable(idFromString(CustomerRepID)).annotations({
    description: "Tickets that are assigned to this representative"
  }),
  isClosed: changeable(QueryBoolean),
  isSpam: changeable(QueryBoolean),
  search: changeable(TextUpTo(200)).annotations({
    description:
      "Words or parts of words, in any case, that must all occur in the subject, in one message, or in the end user's name, email and UIDs. A number, as in #13, also finds that ticket"
  })
})
export type TicketsQuery = typeof TicketsQuery.Type

export const TicketPage = Page("TicketPage", Ticket)
export type TicketPage = typeof TicketPage.Type

export class TicketsApi extends HttpApiGroup.make("tickets")
  .add(
    HttpApiEndpoint.get("listTickets", "/tickets")
      .setUrlParams(TicketsQuery)
      .addSuccess(TicketPage)
      .annotateContext(
        OpenApi.annotations({
          summary: "List tickets",
          description: "Newest first. Filters combine: a ticket must match all that are given."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getTicket")`/tickets/${pathId(TicketID)}`
      .addSuccess(Ticket)
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "Read a ticket", description: "One ticket, with its ETag." }))
  )
  .add(
    HttpApiEndpoint.post("createTicket", "/tickets")
      .setPayload(TicketCreate)
      .addSuccess(Ticket)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a ticket",
          description: "The status defaults to Open. A channel or end user that is not yours returns 400."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("bulkUpdateTickets", "/tickets/bulk")
      .setPayload(TicketBulk)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change many tickets",
          description:
            "All or nothing: if one ticket is missing, returns 404 and nothing changes. Spam cannot be escalated (409)."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateTicket")`/tickets/${pathId(TicketID)}`
      .setPayload(TicketUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a ticket",
          description:
            "isClosed true closes the ticket, false reopens it as Open. Marking an escalated ticket as spam sets it back to Open; escalating spam returns 409. An update that changes nothing triggers nothing."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteTicket")`/tickets/${pathId(TicketID)}`.addError(NotFound).annotateContext(
      OpenApi.annotations({
        summary: "Delete a ticket",
        description: "Its messages and attachments are deleted as well."
      })
    )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Tickets", description: "Conversations with end users, and their status." })
  ) {}
