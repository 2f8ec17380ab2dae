import { randomUUID } from "node:crypto"
import type { GraphState, StoredMessage, StoredSubscription } from "./GraphServerState.ts"

/** Replaces the made-up public address of the service with one that can be reached. */
const reachable = (state: GraphState, url: string) => {
  const target = new URL(url)
  return state.serviceUrl === undefined ? target.href : new URL(target.pathname + target.search, state.serviceUrl).href
}

/** Asks the notification URL to echo a token, as the provider does before it accepts a subscription. */
export const handshake = async (state: GraphState, notificationUrl: string) => {
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()} & +`
  const url = `${reachable(state, notificationUrl)}?validationToken=${encodeURIComponent(token)}`
  const response = await fetch(url, { method: "POST", headers: { "content-type": "text/plain; charset=utf-8" } })
  const body = await response.text()
  const isPlain = response.headers.get("content-type")?.startsWith("text/plain") === true
  return response.status === 200 && isPlain && body === token
}

const post = (state: GraphState, url: string, value: ReadonlyArray<object>) =>
  fetch(reachable(state, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ value })
  })

const stateOf = (state: GraphState, { clientState }: StoredSubscription) =>
  state.switches.forge ? "somebody else's" : clientState

export const changeOf = (state: GraphState, subscription: StoredSubscription, message: StoredMessage) => ({
  subscriptionId: subscription.id,
  subscriptionExpirationDateTime: subscription.expirationDateTime,
  clientState: stateOf(state, subscription),
  changeType: "created",
  resource: `Users/11111111-2222-4333-8444-555555555555/Messages/${message.id}`,
  tenantId: "99999999-2222-4333-8444-555555555555",
  resourceData: {
    "@odata.type": "#Microsoft.Graph.Message",
    "@odata.id": `Users/11111111-2222-4333-8444-555555555555/Messages/${message.id}`,
    "@odata.etag": 'W/"CQAAABYAAAC"',
    id: message.id
  }
})

const concerns = (subscription: StoredSubscription, address: string, folderID: string) =>
  subscription.resource.toLowerCase() === `/users/${address}/mailFolders('${folderID}')/messages`.toLowerCase()

/** Notifies the folder's subscribers of new messages, as the switches dictate. */
export const notify = async (state: GraphState, address: string, messages: ReadonlyArray<StoredMessage>) => {
  if (state.switches.lose) return []
  const changes = messages.flatMap((message) =>
    [...state.subscriptions.values()]
      .filter((subscription) => concerns(subscription, address, message.folderID))
      .map((subscription) => ({ url: subscription.notificationUrl, change: changeOf(state, subscription, message) }))
  )
  const ordered = state.switches.reorder ? changes.toReversed() : changes
  const all = Array.from({ length: state.switches.copies }, () => ordered).flat()
  return Promise.all(all.map(async ({ change, url }) => (await post(state, url, [change])).status))
}

/** Sends a notification about the subscription itself. */
export const notifyLifecycle = async (
  state: GraphState,
  subscription: StoredSubscription,
  lifecycleEvent: "reauthorizationRequired" | "subscriptionRemoved" | "missed"
) => {
  if (lifecycleEvent === "subscriptionRemoved") state.subscriptions.delete(subscription.id)
  const response = await post(state, subscription.notificationUrl, [
    {
      lifecycleEvent,
      subscriptionId: subscription.id,
      resource: subscription.resource,
      clientState: stateOf(state, subscription),
      subscriptionExpirationDateTime: subscription.expirationDateTime,
      organizationId: "99999999-2222-4333-8444-555555555555"
    }
  ])
  return response.status
}
