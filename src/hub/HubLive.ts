import { Effect, Layer } from "effect"
import { Settings } from "../platform/settings/Settings.ts"
import { Admission } from "./Admission.ts"
import { Chats } from "./Chats.ts"
import { HubClients } from "./HubClients.ts"
import { HubConnections } from "./HubConnections.ts"
import { HubEvents } from "./HubEvents.ts"
import { HubMethods } from "./HubMethods.ts"
import { OpenChats } from "./OpenChats.ts"
import { PresenceBook } from "./PresenceBook.ts"

/** A worker node has no clients to send events to. */
const Listening = Layer.unwrapEffect(Effect.map(Settings, ({ role }) => (role === "worker" ? Layer.empty : HubEvents)))

/** The services of the hub's routes, and the delivery of all nodes' events to this node's clients. */
export const HubLive = Layer.mergeAll(Admission.layer, HubConnections.layer, Listening).pipe(
  Layer.provide(Layer.merge(HubMethods.layer, OpenChats.layer)),
  Layer.provide(Layer.mergeAll(HubClients.layer, Chats.layer, PresenceBook.layer))
)
