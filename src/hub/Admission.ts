import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import { Forbidden, Unauthorized } from "../../schema/Errors.ts"
import { hostnamesOf } from "../../schema/Hostnames.ts"
import { bearerToken } from "../auth/Policies.ts"
import { Tokens } from "../auth/Tokens.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { HubCaller } from "./HubClients.ts"
import { OpenChats, switchedOff } from "./OpenChats.ts"

export interface Admitted {
  readonly caller: HubCaller
  /**
   * Whether the client would still be admitted: tokens expire, chats are switched off. Asked every second and answered
   * from this node's shared lookups, never the database. While that is away a revoked client stays connected until the
   * next successful lookup, but hears nothing, as there are no events.
   */
  readonly isStillGood: () => boolean
  /** The last message to a client that is no longer admitted. */
  readonly farewell: string
}

/** Who may connect to the hub. */
export class Admission extends Context.Tag("casework/Admission")<
  Admission,
  {
    readonly admit: (
      request: HttpServerRequest.HttpServerRequest,
      address: string
    ) => Effect.Effect<Admitted, Unauthorized | Forbidden>
  }
>() {
  static readonly layer = Layer.effect(
    Admission,
    Effect.suspend(() => make)
  )
}

const queryOf = (url: string) => {
  const parameters = new URLSearchParams(url.split(/[?#](.*)/s)[1] ?? "")
  return (name: string) =>
    Option.fromNullable([...parameters].find(([given]) => given.toLowerCase() === name)?.[1]).pipe(
      Option.filter((value) => value !== "")
    )
}

const hostOf = (origin: string | undefined) =>
  origin !== undefined && URL.canParse(origin) ? new URL(origin).hostname.toLowerCase() : undefined

const make = Effect.gen(function* () {
  const tokens = yield* Tokens
  const channels = yield* ChannelsRepo
  const openChats = yield* OpenChats

  const admitRepresentative = fn("Admission.admitRepresentative")(function* (token: string) {
    const admitted = Option.getOrUndefined(yield* tokens.admit(token))
    if (admitted === undefined) return yield* Unauthorized.of("The token is not valid or has expired. Log in again.")
    const { caller, isStillGood } = admitted
    if (caller._tag === "PhoneCall") return yield* Forbidden.of("A phone token cannot be used here.")
    return {
      caller,
      isStillGood,
      farewell: "The token has expired or was revoked. Log in again."
    }
  })

  const admitVisitor = fn("Admission.admitVisitor")(function* (
    token: string,
    origin: string | undefined,
    address: string
  ) {
    const channel = Option.getOrUndefined(yield* channels.findByToken(token))
    if (channel === undefined || channel.channelType !== "Chat" || !channel.isActive) {
      return yield* Unauthorized.of("There is no active chat channel with this token.")
    }
    const allowed = hostnamesOf(channel.hostnames)
    const host = hostOf(origin)
    if (allowed.length > 0 && (host === undefined || !allowed.includes(host))) {
      return yield* Forbidden.of("This page may not open a chat: its host is not one of the channel's hostnames.")
    }
    const { channelID, customerID } = channel
    openChats.entered(channelID)
    return {
      caller: { _tag: "Visitor", customerID, channelID, address } as const,
      isStillGood: () => openChats.isOpen(channelID),
      farewell: switchedOff
    }
  })

  return Admission.of({
    admit: fn("Admission.admit")(function* (request, address): Effect.fn.Return<Admitted, Unauthorized | Forbidden> {
      const query = queryOf(request.url)
      const token = Option.orElse(bearerToken(request), () => query("access_token"))
      if (Option.isSome(token)) return yield* admitRepresentative(token.value)
      const channelToken = query("channeltoken")
      if (Option.isSome(channelToken)) {
        return yield* admitVisitor(channelToken.value, request.headers["origin"], address)
      }
      return yield* Unauthorized.of("Send a representative's token as access_token, or a channelToken.")
    })
  })
})
