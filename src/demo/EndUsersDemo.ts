import type { EndUserUIDCreate } from "../../schema/EndUsers.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { EndUsersRepo } from "../endUsers/EndUsersRepo.ts"
import { link, type Uid } from "../endUsers/EndUserUids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { DemoCustomer } from "./DemoContent.ts"

interface DemoEndUser {
  readonly FirstName: string
  readonly LastName: string
  readonly phone: string | null
  readonly reference: string | null
  readonly notes: string | null
}

/** The same kinds of people for each customer: with and without a phone, a reference and notes. */
const people: Readonly<Record<string, ReadonlyArray<DemoEndUser>>> = {
  "Acme Rentals": [
    { FirstName: "Maria", LastName: "Keller", phone: "+15550141", reference: "T-1001", notes: "Tenant, Oak Street 4" },
    { FirstName: "Jonas", LastName: "Brandt", phone: "+15550142", reference: "T-1002", notes: null },
    { FirstName: "Aïcha", LastName: "Benali", phone: null, reference: "T-1003", notes: "Prefers French" },
    { FirstName: "Tom", LastName: "", phone: "+15550144", reference: null, notes: null }
  ],
  "Globex Support": [
    { FirstName: "Priya", LastName: "Nair", phone: "+15550151", reference: "C-2001", notes: "Orders every month" },
    { FirstName: "Luca", LastName: "Moretti", phone: null, reference: "C-2002", notes: null },
    { FirstName: "Søren", LastName: "Holm", phone: "+15550153", reference: null, notes: null }
  ],
  "Initech Surveys": [
    { FirstName: "Ines", LastName: "Costa", phone: "+15550161", reference: "L-3001", notes: "Landlord of two flats" },
    { FirstName: "Peter", LastName: "Novak", phone: null, reference: "L-3002", notes: null }
  ]
}

/** A name as part of a mail address: plain letters only. */
const mailbox = (name: string) =>
  name
    .normalize("NFD")
    .replace(/[^a-z ]/gi, "")
    .toLowerCase()

const uidsOf = (email: string, phone: string | null, reference: string | null): ReadonlyArray<EndUserUIDCreate> => [
  { UID: email, UIDType: "Email", IsPrimary: true },
  ...(phone === null ? [] : [{ UID: phone, UIDType: "Phone", IsPrimary: true }]),
  ...(reference === null ? [] : [{ UID: reference, UIDType: "External" }])
]

export const makeEndUsers = fn("Demo.makeEndUsers")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const endUsers = yield* EndUsersRepo
  for (const { FirstName, LastName, notes, phone, reference } of people[customer.name] ?? []) {
    const email = `${mailbox(`${FirstName} ${LastName}`).trim().replace(" ", ".")}@mail.example`
    yield* endUsers.insert(
      customerID,
      { FirstName, LastName, DisplayName: null, Email: email, Phone: phone, CustomerRef: reference, Notes: notes },
      uidsOf(email, phone, reference).reduce<ReadonlyArray<Uid>>(link, [])
    )
  }
})
