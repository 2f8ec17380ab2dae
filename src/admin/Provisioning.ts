import { Array, Context, Effect, Layer, Option, ParseResult, Redacted, Schema } from "effect"
import type { Role } from "../../schema/Authentication.ts"
import { Name } from "../../schema/Fields.ts"
import { type CustomerID, type CustomerRepID, ModelID } from "../../schema/Ids.ts"
import { CustomerRepCreate } from "../../schema/Representatives.ts"
import { PasswordHasher } from "../auth/PasswordHasher.ts"
import { type CustomerSummary, CustomersRepo } from "../customers/CustomersRepo.ts"
import type { Feature } from "../customers/Features.ts"
import { ModelsRepo, type NewModel } from "../customers/ModelsRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { type Refused, refuse } from "./Refused.ts"

interface NewRepresentative {
  readonly username: string
  readonly password: Redacted.Redacted
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
}

/** What only the operator may do; there are no routes for it. */
export class Provisioning extends Context.Tag("casework/Provisioning")<
  Provisioning,
  {
    readonly customerNamed: (name: string) => Effect.Effect<CustomerSummary, Refused>
    readonly createCustomer: (
      name: string,
      hostnames?: ReadonlyArray<string>,
      features?: ReadonlyArray<Feature>
    ) => Effect.Effect<CustomerID, Refused>
    readonly addHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<void, Refused>
    readonly removeHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<void, Refused>
    readonly addFeature: (customerID: CustomerID, feature: Feature) => Effect.Effect<void, Refused>
    readonly removeFeature: (customerID: CustomerID, feature: Feature) => Effect.Effect<void, Refused>
    readonly addRepresentative: (
      customerID: CustomerID,
      rep: NewRepresentative
    ) => Effect.Effect<CustomerRepID, Refused>
    readonly addSharedModel: (model: NewModel) => Effect.Effect<ModelID, Refused>
    readonly addOwnModel: (owner: CustomerSummary, model: NewModel) => Effect.Effect<ModelID, Refused>
    /** Returns the model's name. */
    readonly setModelActive: (modelID: number, isActive: boolean) => Effect.Effect<string, Refused>
  }
>() {
  static readonly layer = Layer.effect(
    Provisioning,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(Layer.mergeAll(CustomersRepo.layer, ModelsRepo.layer, RepresentativesRepo.layer)))
}

/** Decodes the operator's input by the rules of the API, and says in one line what is wrong with each part. */
const read = <A, I>(schema: Schema.Schema<A, I>, value: I, subject = "") =>
  Schema.decode(schema)(value).pipe(
    Effect.catchAll((error) => {
      const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
      const firstOfEach = Array.dedupeWith(issues, (a, b) => a.path.join() === b.path.join())
      return refuse(firstOfEach.map(({ message, path }) => `The ${path.join(".") || subject} ${message}.`).join(" "))
    })
  )

const hostnamePattern = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const customers = yield* CustomersRepo
  const models = yield* ModelsRepo
  const reps = yield* RepresentativesRepo
  const hasher = yield* PasswordHasher

  const addHostname = fn("Provisioning.addHostname")(function* (customerID: CustomerID, hostname: string) {
    if (!hostnamePattern.test(hostname)) return yield* refuse(`"${hostname}" is not a hostname.`)
    if (!(yield* customers.addHostname(customerID, hostname))) {
      return yield* refuse(`The customer already has the hostname ${hostname.toLowerCase()}.`)
    }
  })
  const addFeature = fn("Provisioning.addFeature")(function* (customerID: CustomerID, feature: Feature) {
    if (!(yield* customers.addFeature(customerID, feature))) {
      return yield* refuse(`The customer already has the feature ${feature}.`)
    }
  })

  return Provisioning.of({
    customerNamed: fn("Provisioning.customerNamed")(function* (name) {
      const found = yield* customers.findByName(name.trim())
      return Option.isSome(found)
        ? found.value
        : yield* refuse(`There is no customer named "${name}". To list all customers, run: customer list`)
    }),
    createCustomer: fn("Provisioning.createCustomer")(function* (name, hostnames = [], features = []) {
      const customerName = yield* read(Name, name, "name of a customer")
      const customerID = yield* customers
        .insert(customerName)
        .pipe(Effect.catchTag("Duplicate", () => refuse(`A customer named "${customerName}" already exists.`)))
      for (const hostname of hostnames) yield* addHostname(customerID, hostname)
      for (const feature of features) yield* addFeature(customerID, feature)
      return customerID
    }, inTransaction),
    addHostname,
    removeHostname: fn("Provisioning.removeHostname")(function* (customerID, hostname) {
      if (!(yield* customers.removeHostname(customerID, hostname))) {
        return yield* refuse(`The customer does not have the hostname ${hostname.toLowerCase()}.`)
      }
    }),
    addFeature,
    removeFeature: fn("Provisioning.removeFeature")(function* (customerID, feature) {
      if (!(yield* customers.removeFeature(customerID, feature))) {
        return yield* refuse(`The customer does not have the feature ${feature}.`)
      }
    }),
    addRepresentative: fn("Provisioning.addRepresentative")(function* (customerID, { password, ...rep }) {
      const written = yield* read(CustomerRepCreate, { ...rep, password: Redacted.value(password) })
      const passwordHash = yield* hasher.hash(password)
      const { email = null, name = null, username } = written
      const { customerRepID } = yield* reps
        .insert(customerID, { username, role: rep.role, name, email, passwordHash })
        .pipe(Effect.catchTag("Duplicate", () => refuse(`The username "${username}" is already taken.`)))
      return customerRepID
    }),
    addSharedModel: fn("Provisioning.addSharedModel")(function* (model) {
      const name = yield* read(Name, model.name, "name of a model")
      return yield* models
        .insert(null, { ...model, name })
        .pipe(Effect.catchTag("Duplicate", () => refuse(`A shared model named "${name}" already exists.`)))
    }),
    addOwnModel: fn("Provisioning.addOwnModel")(function* (owner, model) {
      const name = yield* read(Name, model.name, "name of a model")
      return yield* models
        .insert(owner.customerID, { ...model, name })
        .pipe(Effect.catchTag("Duplicate", () => refuse(`"${owner.name}" already has a model named "${name}".`)))
    }),
    setModelActive: fn("Provisioning.setModelActive")(function* (modelID, isActive) {
      const changed = yield* Schema.decodeOption(ModelID)(modelID).pipe(
        Effect.flatMap((known) => models.setActive(known, isActive)),
        Effect.flatten,
        Effect.option
      )
      return Option.isSome(changed)
        ? changed.value
        : yield* refuse(`There is no model ${modelID}. To list all models, run: model list`)
    })
  })
})
