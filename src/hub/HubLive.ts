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

/** A node that only works has no clients to tell anything. */
const Listening = Layer.unwrapEffect(Effect.map(Settings, ({ role }) => (role === "worker" ? Layer.empty : HubEvents)))

/** What the hub's routes need; the clients of this node hear what happens on all. */
export const HubLive = Layer.mergeAll(Admission.layer, HubConnections.layer, Listening).pipe(
  Layer.provide(Layer.merge(HubMethods.layer, OpenChats.layer)),
  Layer.provide(Layer.mergeAll(HubClients.layer, Chats.layer, PresenceBook.layer))
)
