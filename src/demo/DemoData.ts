import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { ActionsRepo } from "../actions/ActionsRepo.ts"
import { operationFromName } from "../actions/OperationFromName.ts"
import { Provisioning } from "../admin/Provisioning.ts"
import { AiRunsRepo } from "../ai/AiRunsRepo.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import { ModelsRepo } from "../customers/ModelsRepo.ts"
import { DocumentsRepo } from "../documents/DocumentsRepo.ts"
import { EndUsersRepo } from "../endUsers/EndUsersRepo.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { SignaturesRepo } from "../representatives/SignaturesRepo.ts"
import { MessageTopicsRepo } from "../ticketMessages/MessageTopicsRepo.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { makeAiRuns } from "./AiRunsDemo.ts"
import { AttachmentsDemoRepos, makeAttachments } from "./AttachmentsDemo.ts"
import { makeChannels } from "./ChannelsDemo.ts"
import { makeProfiles } from "./CustomersDemo.ts"
import { assignAction, type DemoCustomer, demoActions, demoCustomers, demoModels, demoPassword } from "./DemoContent.ts"
import { makeDocuments } from "./DocumentsDemo.ts"
import { makeEndUsers } from "./EndUsersDemo.ts"
import { makeInbox } from "./InboxDemo.ts"
import { drawPhotos, makeReports, PlacesDemoTools } from "./PlacesDemo.ts"
import { makeTopics, TopicsDemoRepos } from "./TopicsDemo.ts"

const isEmpty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select 1 from customer limit 1`
  return rows.length === 0
})

/** Shared models that the operator created before, or that remained when customers were removed: they are kept. */
const sharedModels = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`
    /* all customers: shared by them */ select lower(name) as name from model where customer_id is null`
  return new Set(rows.map(({ name }) => name))
})

const makeActions = fn("Demo.makeActions")(function* (customerID: CustomerID) {
  const actions = yield* ActionsRepo
  for (const action of demoActions) {
    yield* actions.insert(customerID, {
      ...action,
      isActive: true,
      ...operationFromName(action.name),
      operationFromName: true
    })
  }
  const { defaultCustomerRepID } = yield* (yield* CustomerProfileRepo).get(customerID)
  if (defaultCustomerRepID === null) return
  yield* actions.insert(customerID, {
    ...assignAction,
    isActive: true,
    operation: "AssignRep",
    parameters: { customerRepID: defaultCustomerRepID },
    operationFromName: false
  })
})

const makeCustomer = fn("Demo.makeCustomer")(function* (customer: DemoCustomer) {
  const provisioning = yield* Provisioning
  const photos = yield* drawPhotos(customer)
  const customerID = yield* provisioning.createCustomer(customer.name)
  yield* provisioning.addHostname(customerID, customer.hostname)
  if (customer.hasReports) yield* provisioning.addFeature(customerID, "SchedulesOfCondition")
  for (const { email, name, role, username } of customer.representatives) {
    const password = Redacted.make(demoPassword)
    yield* provisioning.addRepresentative(customerID, { username, password, role, name, email })
  }
  yield* makeProfiles(customerID)
  yield* makeActions(customerID)
  yield* makeChannels(customerID, customer)
  yield* makeDocuments(customerID, customer)
  yield* makeTopics(customerID, customer)
  yield* makeEndUsers(customerID, customer)
  yield* makeInbox(customerID, customer)
  yield* makeAiRuns(customerID)
  yield* makeAttachments(customerID, customer)
  yield* makeReports(customerID, customer, photos)
})

/** Fills an empty database so that every page of the API shows something. */
export const seedDemoData = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const provisioning = yield* Provisioning
  yield* Effect.gen(function* () {
    // Nodes that start at the same time wait here, and the second one finds the data.
    yield* sql`select pg_advisory_xact_lock(4137923::bigint)`
    if (!(yield* isEmpty)) return
    const known = yield* sharedModels
    for (const model of demoModels) if (!known.has(model.name.toLowerCase())) yield* provisioning.addSharedModel(model)
    for (const customer of demoCustomers) yield* makeCustomer(customer)
  }).pipe(sql.withTransaction)
}).pipe(Effect.orDie)

export const DemoTools = Layer.mergeAll(
  Provisioning.layer,
  ActionsRepo.layer,
  AiRunsRepo.layer,
  ModelsRepo.layer,
  AttachmentsDemoRepos,
  CustomerProfileRepo.layer,
  DocumentsRepo.layer,
  EndUsersRepo.layer,
  MessageTopicsRepo.layer,
  TicketMessagesRepo.layer,
  TicketsRepo.layer,
  RepresentativesRepo.layer,
  SignaturesRepo.layer,
  PlacesDemoTools,
  TopicsDemoRepos
)

export const DemoData = Layer.effectDiscard(
  Effect.flatMap(Settings, ({ demo }) => Effect.when(seedDemoData, () => demo))
).pipe(Layer.provide(DemoTools))
