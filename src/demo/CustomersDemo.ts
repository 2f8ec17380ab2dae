import type { CustomerID } from "../../schema/Ids.ts"
import type { CustomerRep } from "../../schema/Representatives.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { SignaturesRepo } from "../representatives/SignaturesRepo.ts"

const greetings = [
  { lang: "de", words: "Mit freundlichen Grüßen" },
  { lang: "en", words: "Kind regards" },
  { lang: "fr-CH", words: "Avec nos meilleures salutations" }
]

const signature = (words: string, name: string, company: string) => ({
  emailSignatureHTML: `<p>${words}<br><strong>${name}</strong><br>${company}</p>`,
  emailSignatureText: `${words}\n${name}\n${company}`
})

const fillProfile = fn("Demo.fillProfile")(function* (rep: CustomerRep, company: string, index: number) {
  const reps = yield* RepresentativesRepo
  const signatures = yield* SignaturesRepo
  const name = rep.name ?? rep.username
  yield* reps.update(rep.customerID, rep.customerRepID, {
    ...rep,
    ...signature("Best regards", name, company),
    phoneNumber: `+1555019${index}`,
    otherDetails: rep.role === "Admin" ? "Looks after the integrations" : "Weekdays, 9 to 5",
    timeZone: rep.role === "Admin" ? "UTC" : "GMT Standard Time"
  })
  for (const { lang, words } of greetings) {
    yield* signatures.save(rep.customerID, rep.customerRepID, { lang, ...signature(words, name, company) })
  }
})

/** Profiles and signatures for the representatives; the first Admin becomes the default representative. */
export const makeProfiles = fn("Demo.makeProfiles")(function* (customerID: CustomerID) {
  const profiles = yield* CustomerProfileRepo
  const reps = yield* RepresentativesRepo
  const customer = yield* profiles.get(customerID)
  const { items } = yield* reps.list(customerID, { sortBy: "customerRepID" })
  for (const [index, rep] of items.entries()) yield* fillProfile(rep, customer.name, index)
  const admin = items.find(({ role }) => role === "Admin")
  yield* profiles.update(customerID, { ...customer, defaultCustomerRepID: admin?.customerRepID ?? null })
})
