import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AdminAccess, Role, TicketAccess } from "./Authentication.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict, Forbidden, NotFound } from "./Errors.ts"
import { anyCase, Body, changeable, clearable, hasAtMost, optional, Query, Text, TextUpTo } from "./Fields.ts"
import { CustomerID, CustomerRepID, pathId } from "./Ids.ts"
import { NumberedPage, paging } from "./Paging.ts"
import { Password } from "./Passwords.ts"
import { SignatureText } from "./Signatures.ts"
import { WindowsTimeZone, windowsTimeZones } from "./WindowsTimeZones.ts"

const text = Schema.NullOr(Schema.String)

export class CustomerRep extends Schema.Class<CustomerRep>("CustomerRep")({
  customerRepID: CustomerRepID,
  customerID: CustomerID,
  username: Schema.String.annotations({ description: "Login name" }),
  name: text,
  email: text,
  phoneNumber: text,
  otherDetails: text,
  emailSignatureHTML: text,
  emailSignatureText: text,
  timeZone: text.annotations({ description: "Windows time zone name" }),
  role: Role
}) {}

const Username = Text.pipe(
  Schema.filter((name) => name.length >= 1 && hasAtMost(name, 100) && !/[\s\p{Z}\p{Cc}\p{Cf}]/u.test(name), {
    message: () => "must be 1 to 100 characters long, without spaces or control characters",
    jsonSchema: { minLength: 1, maxLength: 100 },
    arbitrary: () => (fc) => fc.stringMatching(/^[a-z]{5,10}-[a-z0-9]{5,10}$/)
  }),
  Schema.annotations({ examples: ["jane.doe"] })
)

/** The profile fields that representatives may set for themselves. */
const profile = {
  name: emptyAsNull(TextUpTo(255)),
  email: emptyAsNull(EmailAddress),
  phoneNumber: emptyAsNull(TextUpTo(50)),
  otherDetails: emptyAsNull(TextUpTo(10_000)),
  emailSignatureHTML: SignatureText,
  emailSignatureText: SignatureText,
  timeZone: emptyAsNull(WindowsTimeZone).annotations({
    jsonSchema: {
      type: "string",
      enum: windowsTimeZones,
      description: "A Windows time zone name, in any case",
      examples: ["W. Europe Standard Time"]
    }
  })
}

const WrittenRole = anyCase(Role.literals)

export const CustomerRepCreate = Body("CustomerRepCreate", {
  username: Username,
  password: Password,
  name: optional(profile.name),
  email: optional(profile.email),
  phoneNumber: optional(profile.phoneNumber),
  otherDetails: optional(profile.otherDetails),
  emailSignatureHTML: optional(profile.emailSignatureHTML),
  emailSignatureText: optional(profile.emailSignatureText),
  timeZone: optional(profile.timeZone),
  role: optional(WrittenRole)
})
export type CustomerRepCreate = typeof CustomerRepCreate.Type

export const CustomerRepUpdate = Body("CustomerRepUpdate", {
  username: changeable(Username),
  name: clearable(profile.name),
  email: clearable(profile.email),
  phoneNumber: clearable(profile.phoneNumber),
  otherDetails: clearable(profile.otherDetails),
  emailSignatureHTML: clearable(profile.emailSignatureHTML),
  emailSignatureText: clearable(profile.emailSignatureText),
  timeZone: clearable(profile.timeZone),
  role: changeable(WrittenRole)
})
export type CustomerRepUpdate = typeof CustomerRepUpdate.Type

export const ChangePassword = Body("ChangePassword", {
  customerRepID: CustomerRepID.annotations({ description: "Must equal the id in the path" }),
  newPassword: Password
})
export type ChangePassword = typeof ChangePassword.Type

export const representativePaging = paging({
  sortable: [
    "customerRepID",
    "customerID",
    "username",
    "name",
    "email",
    "phoneNumber",
    "otherDetails",
    "emailSignatureHTML",
    "emailSignatureText",
    "timeZone",
    "role"
  ],
  sortBy: "name"
})

export const RepresentativesQuery = Query({
  ...representativePaging.query,
  search: Schema.optionalWith(TextUpTo(255), { exact: true })
})
export type RepresentativesQuery = typeof RepresentativesQuery.Type

export const CustomerRepPage = NumberedPage("CustomerRepPage", CustomerRep)
export type CustomerRepPage = typeof CustomerRepPage.Type

const id = pathId(CustomerRepID)

export class RepresentativesApi extends HttpApiGroup.make("representatives")
  .add(
    HttpApiEndpoint.get("listCustomerReps", "/customerReps")
      .setUrlParams(RepresentativesQuery)
      .addSuccess(CustomerRepPage)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "List representatives",
          description:
            "Your organisation's representatives, sorted by name. search finds any part of the name, the username or the email, in any case."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getCustomerRep")`/customerReps/${id}`
      .addSuccess(CustomerRep)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a representative", description: "One representative, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.post("createCustomerRep", "/customerReps")
      .setPayload(CustomerRepCreate)
      .addSuccess(CustomerRep)
      .addError(Conflict)
      .middleware(AdminAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a representative",
          description:
            "Admin only. The username is a login name: unique across the whole service, in any case, otherwise returns 409. The role defaults to Agent. timeZone is a Windows time zone name. The password is never returned."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateCustomerRep")`/customerReps/${id}`
      .setPayload(CustomerRepUpdate)
      .addError(NotFound)
      .addError(Forbidden)
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a representative",
          description:
            "An Admin may change anyone; an Agent may change its own profile, but not its role (403). A new role ends the representative's earlier logins within 5 seconds. The last Admin cannot become an Agent (409). A password in the body is ignored: see change-password."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteCustomerRep")`/customerReps/${id}`
      .addError(NotFound)
      .addError(Conflict)
      .middleware(AdminAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a representative",
          description:
            "Admin only. Its logins end within 5 seconds and its username becomes free. Deleting yourself or the last Admin returns 409. If it was the default representative, there is none afterwards."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("changePassword")`/customerReps/${id}/change-password`
      .setPayload(ChangePassword)
      .addError(NotFound)
      .addError(Forbidden)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Set a representative's password",
          description:
            "An Admin may do this for anyone, an Agent for itself. All earlier logins of that representative end within 5 seconds, including your own if it is you. The change is recorded in the audit log."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({
      title: "Representatives",
      description: "The people who answer: their profiles, roles and passwords."
    })
  ) {}
