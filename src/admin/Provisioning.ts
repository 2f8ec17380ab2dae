import { Context, Data, Effect, Layer, Option, Redacted } from "effect"
import type { Role } from "../../schema/Authentication.ts"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { isStrongPassword } from "../../schema/Passwords.ts"
import { PasswordHasher } from "../auth/PasswordHasher.ts"
import { type CustomerSummary, CustomersRepo } from "../customers/CustomersRepo.ts"
import { ModelsRepo, type Slot } from "../customers/ModelsRepo.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"

/** The operator asked for something that cannot be; the message says what to change. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

const refuse = (message: string) => () => Effect.fail(new Refused({ message }))

/** What only the operator may do: it has no route. */
export class Provisioning extends Context.Tag("casework/Provisioning")<
  Provisioning,
  {
    readonly customers: Effect.Effect<ReadonlyArray<CustomerSummary>>
    readonly customerNamed: (name: string) => Effect.Effect<CustomerSummary, Refused>
    readonly createCustomer: (name: string) => Effect.Effect<CustomerID, Refused>
    readonly addHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<void, Refused>
    readonly addFeature: (customerID: CustomerID, feature: string) => Effect.Effect<void>
    readonly removeFeature: (customerID: CustomerID, feature: string) => Effect.Effect<void>
    readonly addRepresentative: (
      customerID: CustomerID,
      rep: {
        readonly username: string
        readonly password: Redacted.Redacted
        readonly role: Role
        readonly name: string | null
        readonly email: string | null
      }
    ) => Effect.Effect<CustomerRepID, Refused>
    readonly addSharedModel: (model: {
      readonly name: string
      readonly slots: ReadonlyArray<Slot>
      readonly takesImages: boolean
      readonly isDefault: boolean
    }) => Effect.Effect<number, Refused>
  }
>() {
  static readonly layer = Layer.effect(
    Provisioning,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(Layer.mergeAll(CustomersRepo.layer, ModelsRepo.layer, RepresentativesRepo.layer)))
}

const make = Effect.gen(function* () {
  const customers = yield* CustomersRepo
  const models = yield* ModelsRepo
  const reps = yield* RepresentativesRepo
  const hasher = yield* PasswordHasher
  return Provisioning.of({
    customers: customers.all,
    customerNamed: (name) =>
      Effect.flatMap(
        customers.findByName(name),
        Option.match({ onNone: refuse(`There is no customer named "${name}".`), onSome: Effect.succeed })
      ),
    createCustomer: (name) =>
      name.trim() === ""
        ? refuse("A customer needs a name.")()
        : customers
            .insert(name.trim())
            .pipe(Effect.catchTag("Duplicate", refuse(`There already is a customer named "${name.trim()}".`))),
    addHostname: (customerID, hostname) =>
      /^[a-z0-9.-]{1,253}$/i.test(hostname)
        ? customers.addHostname(customerID, hostname)
        : refuse(`"${hostname}" is not a hostname.`)(),
    addFeature: customers.addFeature,
    removeFeature: customers.removeFeature,
    addRepresentative: (customerID, { password, ...rep }) =>
      isStrongPassword(Redacted.value(password))
        ? hasher.hash(password).pipe(
            Effect.flatMap((passwordHash) => reps.insert(customerID, { ...rep, passwordHash })),
            Effect.catchTag("Duplicate", refuse(`The username "${rep.username}" is taken.`))
          )
        : refuse("A password needs at least 8 characters and 3 of: digit, lowercase, uppercase, symbol.")(),
    addSharedModel: (model) =>
      models
        .insertShared(model)
        .pipe(Effect.catchTag("Duplicate", refuse(`There already is a shared model named "${model.name}".`)))
  })
})
