import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PhoneContext, TicketAccess } from "./Authentication.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, clearable, ListUpTo, Name, optional, Query, TextUpTo } from "./Fields.ts"
import { CustomerID, EndUserID, EndUserUIDID, pathId } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"
import { TicketPage, TicketsQuery } from "./Tickets.ts"
import { UID } from "./Uid.ts"

export class EndUserUID extends Schema.Class<EndUserUID>("EndUserUID")({
  EndUserUIDID,
  UID: Schema.String.annotations({ description: "An address or number that identifies the end user" }),
  UIDType: Schema.String.annotations({ description: "Email, Phone, External, or a word of your own" }),
  IsPrimary: Schema.Boolean.annotations({ description: "At most one of each UIDType" })
}) {}

const text = Schema.NullOr(Schema.String)

export class EndUser extends Schema.Class<EndUser>("EndUser")({
  EndUserID,
  CustomerID,
  FirstName: Schema.String,
  LastName: Schema.String.annotations({ description: "Empty for a person with a single name" }),
  DisplayName: Schema.String.annotations({ description: "As given, or else the first and the last name" }),
  Email: text,
  Phone: text,
  CustomerRef: text.annotations({ description: "The end user's reference in your own systems" }),
  Notes: text,
  UIDs: Schema.Array(EndUserUID),
  DateCreated: Schema.DateTimeUtc,
  LastModified: Schema.DateTimeUtc
}) {}

const knownTypes = ["Email", "Phone", "External"]

const spelled = (word: string) => knownTypes.find((type) => type.toLowerCase() === word.toLowerCase()) ?? word

const UIDType = Schema.transform(Schema.String, TextUpTo(50).pipe(Schema.minLength(1)), {
  strict: true,
  decode: (word) => spelled(word.trim()),
  encode: (word) => word
}).annotations({
  jsonSchema: {
    type: "string",
    minLength: 1,
    maxLength: 50,
    description: "Email, Phone, External, or a word of your own",
    examples: ["Email"]
  }
})

const uidFields = { UID, UIDType: optional(UIDType), IsPrimary: optional(Schema.Boolean) }

const EndUserUIDCreate = Body("EndUserUIDCreate", uidFields)
export type EndUserUIDCreate = typeof EndUserUIDCreate.Type

const EndUserUIDUpdate = Body("EndUserUIDUpdate", {
  EndUserUIDID: optional(EndUserUIDID).annotations({ description: "The UID to change; omitted for a new one" }),
  ...uidFields,
  MarkAsDeleted: optional(Schema.Boolean).annotations({ description: "true deletes this UID" })
})
export type EndUserUIDUpdate = typeof EndUserUIDUpdate.Type

export const mostUids = 100

const FirstName = Name.annotations({ examples: ["Maria"] })

const LastName = Schema.transform(Schema.String, TextUpTo(255), {
  strict: true,
  decode: (name) => name.trim(),
  encode: (name) => name
}).annotations({ jsonSchema: { type: "string", maxLength: 255 }, examples: ["Keller"] })

/** Without a last name, an empty one is stored. */
const ClearedLastName = Schema.transform(Schema.NullOr(Schema.String), LastName, {
  strict: true,
  decode: (name) => name ?? "",
  encode: (name) => name
}).annotations({ jsonSchema: { type: ["string", "null"], maxLength: 255 }, examples: ["Keller"] })

const fields = {
  DisplayName: emptyAsNull(TextUpTo(511)),
  Email: emptyAsNull(EmailAddress),
  Phone: emptyAsNull(TextUpTo(50)),
  CustomerRef: emptyAsNull(TextUpTo(255)),
  Notes: emptyAsNull(TextUpTo(10_000))
}

export const EndUserCreate = Body("EndUserCreate", {
  FirstName,
  LastName,
  DisplayName: optional(fields.DisplayName),
  Email: optional(fields.Email),
  Phone: optional(fields.Phone),
  CustomerRef: optional(fields.CustomerRef),
  Notes: optional(fields.Notes),
  UIDs: optional(ListUpTo(EndUserUIDCreate, mostUids))
})
export type EndUserCreate = typeof EndUserCreate.Type

export const EndUserUpdate = Body("EndUserUpdate", {
  FirstName: changeable(FirstName),
  LastName: changeable(ClearedLastName),
  DisplayName: clearable(fields.DisplayName),
  Email: clearable(fields.Email),
  Phone: clearable(fields.Phone),
  CustomerRef: clearable(fields.CustomerRef),
  Notes: clearable(fields.Notes),
  UIDs: clearable(ListUpTo(EndUserUIDUpdate, mostUids))
})
export type EndUserUpdate = typeof EndUserUpdate.Type

export const AssignUID = Body("AssignUID", { EndUserID, ...uidFields })
export type AssignUID = typeof AssignUID.Type

export class AssignedUID extends Schema.Class<AssignedUID>("AssignedUID")({
  EndUserUIDID,
  EndUserID,
  UID: Schema.String,
  UIDType: Schema.String,
  IsPrimary: Schema.Boolean
}) {}

export const endUserPaging = paging({
  sortable: [
    "EndUserID",
    "CustomerID",
    "FirstName",
    "LastName",
    "DisplayName",
    "Email",
    "Phone",
    "CustomerRef",
    "Notes",
    "UIDs",
    "DateCreated",
    "LastModified"
  ],
  sortBy: "EndUserID",
  sortOrder: "desc",
  pageSize: 10
})

export const EndUsersQuery = Query({
  ...endUserPaging.query,
  search: changeable(TextUpTo(255)).annotations({
    description:
      "Words, each of which must be a part of a name, the email, the phone, the reference or a UID, in any case"
  })
})
export type EndUsersQuery = typeof EndUsersQuery.Type

export const EndUserPage = Page("EndUserPage", EndUser)
export type EndUserPage = typeof EndUserPage.Type

const id = pathId(EndUserID)

export class EndUsersApi extends HttpApiGroup.make("endUsers")
  .add(
    HttpApiEndpoint.get("listEndUsers", "/api/EndUsers")
      .setUrlParams(EndUsersQuery)
      .addSuccess(EndUserPage)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "List end users", description: "Newest first, unless sortBy says otherwise." })
      )
  )
  .add(
    HttpApiEndpoint.get("findEndUsersByUid", "/api/EndUsers/byUid")
      .setUrlParams(Query({ uid: UID }))
      .addSuccess(Schema.Array(EndUser))
      .middleware(PhoneContext)
      .annotateContext(
        OpenApi.annotations({
          summary: "Find end users by UID",
          description:
            "All end users with this UID, in any case, oldest first; an empty list if there are none. Also open to phone tokens."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getEndUser")`/api/EndUsers/${id}`
      .addSuccess(EndUser)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "Read an end user", description: "One end user, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.get("listTicketsOfEndUser")`/api/EndUsers/${id}/tickets`
      .setUrlParams(TicketsQuery)
      .addSuccess(TicketPage)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "List the tickets of an end user",
          description: "Newest first. Takes the same filters as the list of all tickets."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("createEndUser", "/api/EndUsers")
      .setPayload(EndUserCreate)
      .addSuccess(EndUser)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create an end user",
          description:
            "LastName may be empty. A UID that is given twice is linked once; of several primary UIDs of a type, the last one is primary. UIDType defaults to Email. Several end users may have the same UID."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateEndUser")`/api/EndUsers/${id}`
      .setPayload(EndUserUpdate)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change an end user",
          description:
            "Missing properties stay unchanged, and so do UIDs that are not listed: an item with EndUserUIDID changes that UID, one without it links a new UID (or changes the one that is linked already), and MarkAsDeleted deletes it. UIDs: null deletes all. Making a UID primary demotes the previous primary one of its type."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteEndUser")`/api/EndUsers/${id}`
      .addError(NotFound)
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete an end user",
          description:
            "Deletes its UIDs as well. Its tickets remain, without an end user. Returns 409 while the end user is being erased."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("assignUid", "/api/EndUserUIDs/assign")
      .setPayload(AssignUID)
      .addSuccess(AssignedUID)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Link a UID to an end user",
          description:
            "A UID that the end user already has, in any case, is returned as it is; IsPrimary: true makes it primary. An end user of another customer returns 400."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({ title: "End users", description: "The people whom your organisation supports." })
  ) {}
