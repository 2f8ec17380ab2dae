import type { CustomerID } from "../../schema/Ids.ts"
import { mergeDocument } from "../documents/DocumentRules.ts"
import { DocumentsRepo } from "../documents/DocumentsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { DemoCustomer } from "./DemoContent.ts"

const sharedDocuments = [
  {
    name: "Tone of voice",
    description: "How answers should be worded",
    content:
      "Answer in the language of the question, politely and in short sentences. Greet the person by name if it is known. Never promise a date that is not in a document. Sign as {{CustomerName}}."
  },
  {
    name: "Topics we answer",
    description: "What messages can be about",
    content: "{{CustomerName}} answers questions about:\n\n{{TopicList}}\n\nEverything else goes to a person."
  },
  {
    name: "How to reach us",
    description: "Channels and people",
    content: "You can reach {{CustomerName}} here:\n\n{{ChannelList}}\n\nOur team:\n\n{{RepresentativeList}}"
  }
]

const ownDocuments: Readonly<Record<string, ReadonlyArray<{ name: string; description: string; content: string }>>> = {
  "Acme Rentals": [
    {
      name: "Opening hours and keys",
      description: "When the office is open and what to do when a key is lost",
      content:
        "The office is open Monday to Friday, 9:00 to 17:00. A lost key must be reported at once; a new one is ready the next working day and costs 45 EUR. Outside office hours, please call the hotline."
    },
    {
      name: "Repairs",
      description: "Who repairs what, and how fast",
      content:
        "Heating, water and electricity are repaired within 24 hours. Everything else within 10 working days. Tenants should send a photo and a time when somebody is at home."
    }
  ],
  "Globex Support": [
    {
      name: "Returns and refunds",
      description: "How to send something back",
      content:
        "Goods can be sent back within 30 days, unused and in their box. The refund is paid within 5 working days after the parcel has arrived, by the payment method of the order."
    }
  ],
  "Initech Surveys": [
    {
      name: "Lexicon of conditions",
      description: "Words for condition reports",
      content:
        "good: no visible wear\nworn: signs of normal use\ndamaged: must be repaired\nmissing: should be there but is not"
    }
  ]
}

const orderStatus = (hostname: string) => ({
  name: "Order status",
  description: "Asks the shop system for the end user's last order",
  isDataRetrievalProcess: true,
  overrideApiBaseUrl: `https://api.${hostname}/v1`,
  overrideApiAuthenticationType: "None" as const,
  apiEndpoint: "/orders?customer={{EndUser.customerRef}}&limit=1",
  apiMethod: "GET" as const,
  apiHeaders: '{"Accept":"application/json"}'
})

/** Static documents, and one that retrieves its data from an API. */
export const makeDocuments = fn("Demo.makeDocuments")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const documents = yield* DocumentsRepo
  for (const document of [...sharedDocuments, ...(ownDocuments[customer.name] ?? [])]) {
    yield* documents.insert(customerID, mergeDocument({ ...document, isDataRetrievalProcess: false }))
  }
  yield* documents.insert(customerID, mergeDocument(orderStatus(customer.hostname)))
})
