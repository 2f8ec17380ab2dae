import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { everyMessage } from "../../schema/Hooks.ts"
import { type CustomerID, DocumentID } from "../../schema/Ids.ts"
import { type Target, targetOf } from "../../schema/MappingTarget.ts"
import { ActionsRepo } from "../actions/ActionsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PageTopicMappingsRepo } from "../topics/PageTopicMappingsRepo.ts"
import { TopicActionsRepo } from "../topics/TopicActionsRepo.ts"
import { TopicDocumentsRepo } from "../topics/TopicDocumentsRepo.ts"
import { TopicsRepo } from "../topics/TopicsRepo.ts"
import { assignAction, type DemoCustomer } from "./DemoContent.ts"

interface DemoTopic {
  readonly name: string
  readonly description: string
  readonly action: string
  readonly document: string
  /** A path on the customer's website. */
  readonly page: string
}

const demoTopics: Readonly<Record<string, ReadonlyArray<DemoTopic>>> = {
  "Acme Rentals": [
    {
      name: "Lost key",
      description: "A tenant lost a key or is locked out and needs a new one",
      action: "Escalate ticket",
      document: "Opening hours and keys",
      page: "/help/keys"
    },
    {
      name: "Deposit refund",
      description: "When and how the deposit is paid back after moving out",
      action: "Draft reply",
      document: "How to reach us",
      page: "/help/deposit"
    },
    {
      name: "Repair request",
      description: "Something in the flat is broken: heating, water, windows, appliances",
      action: "Set status pending",
      document: "Repairs",
      page: "/help/repairs"
    }
  ],
  "Globex Support": [
    {
      name: "Delivery delay",
      description: "An order has not arrived or the tracking does not move",
      action: "Draft reply",
      document: "Order status",
      page: "/orders"
    },
    {
      name: "Refund",
      description: "Money back for an order that was returned or cancelled",
      action: "Escalate ticket",
      document: "Returns and refunds",
      page: "/returns"
    },
    {
      name: "Login problem",
      description: "Forgotten password, locked account or no sign-in code",
      action: "Draft reply",
      document: "How to reach us",
      page: "/account/login"
    }
  ],
  "Initech Surveys": [
    {
      name: "Survey appointment",
      description: "Booking, moving or cancelling the date of a survey",
      action: "Draft reply",
      document: "How to reach us",
      page: "/appointments"
    },
    {
      name: "Report correction",
      description: "Something in a finished condition report is wrong or missing",
      action: "Escalate ticket",
      document: "Lexicon of conditions",
      page: "/reports"
    }
  ]
}

const roomTopic = {
  name: "Place description Room",
  description: "How the notes of a room are turned into its part of the condition report"
}

const demoHooks = [
  { hookName: "OnPhonePickup", action: "Wait 30 seconds", specialChannel: "Phone", priority: 20 },
  { hookName: "OnChatStarted", action: "Wait 30 seconds", specialChannel: "Chat", priority: 20 },
  { hookName: "OnEscalate", action: assignAction.name, specialChannel: null, priority: 10 },
  { hookName: "OnSendFailed", action: "Escalate ticket", specialChannel: "All", priority: 30 },
  { hookName: "OnSpam", action: "Mark as spam", specialChannel: null, priority: 20 },
  { hookName: "OnSpam", action: "Close ticket", specialChannel: "Email", priority: 10 }
] as const

/** A document that is part of the prompt of every message. */
const everywhere = "Tone of voice"

const makeTopic = fn("Demo.makeTopic")(function* (customerID: CustomerID, website: string, topic: DemoTopic) {
  const { description, name } = topic
  const { topicID } = yield* (yield* TopicsRepo).insert(customerID, { name, description })
  const pages = yield* PageTopicMappingsRepo
  yield* pages.insert(customerID, { topicID, pageUrl: `${website}${topic.page}`, context: `The page about: ${name}` })
  return { ...topic, topicID }
})

export const TopicsDemoRepos = Layer.mergeAll(
  PageTopicMappingsRepo.layer,
  TopicActionsRepo.layer,
  TopicDocumentsRepo.layer,
  TopicsRepo.layer
)

/** Topics with their actions, documents and pages, and the actions of a few hooks. */
export const makeTopics = fn("Demo.makeTopics")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const sql = yield* SqlClient.SqlClient
  const { items } = yield* (yield* ActionsRepo).list(customerID, { pageSize: 200 })
  const actionNamed = (name: string) => Effect.fromNullable(items.find((action) => action.name === name))
  const topics = yield* Effect.forEach(demoTopics[customer.name] ?? [], (topic) =>
    makeTopic(customerID, `https://${customer.hostname}`, topic)
  )
  if (customer.hasReports) yield* (yield* TopicsRepo).insert(customerID, roomTopic)

  const forTopics = yield* Effect.forEach(topics, ({ action, topicID }, index) =>
    Effect.map(actionNamed(action), ({ actionID }) => ({
      ...targetOf({ topicID }),
      actionID,
      priority: 10 * (index + 1),
      isActive: true
    }))
  )
  const forHooks = yield* Effect.forEach(demoHooks, ({ action, priority, ...target }) =>
    Effect.map(actionNamed(action), ({ actionID }) => ({ ...targetOf(target), actionID, priority, isActive: true }))
  )
  yield* (yield* TopicActionsRepo).insertNew(customerID, [...forHooks, ...forTopics])

  const documents = yield* sql<{ id: number; name: string }>`
    select document_id as id, name from document where customer_id = ${customerID}`
  const linkTo = (name: string, target: Target, relevanceScore: number) =>
    Effect.fromNullable(documents.find((document) => document.name === name)).pipe(
      Effect.map(({ id }) => ({ ...target, documentID: DocumentID.make(id), relevanceScore }))
    )
  const links = yield* Effect.forEach(topics, ({ document, topicID }) => linkTo(document, targetOf({ topicID }), 80))
  const general = yield* linkTo(everywhere, targetOf({ hookName: everyMessage }), 50)
  yield* (yield* TopicDocumentsRepo).insertNew(customerID, [...links, general])
})
