import { Context, Effect, Layer, Option, Redacted } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { clientSecretPlace } from "../channels/ChannelColumns.ts"
import type { StoredChannel } from "../channels/ChannelsRepo.ts"
import { defaultAuthority, isSameAuthority } from "../channels/MailAuthority.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { readSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { Mailbox } from "./MailGraph.ts"

const defaultScope = "https://graph.microsoft.com/.default"

/**
 * Whether the channel uses the customer's credentials alone, which only an Admin can set. Every representative can give
 * a channel others, even those of a provider that is in the hands of somebody else.
 */
export const usesCustomersCredentials = (channel: StoredChannel) =>
  channel.overrideMailProviderTenantID === null &&
  channel.overrideMailProviderClientID === null &&
  channel.overrideMailProviderClientSecret === null &&
  channel.overrideMailProviderAuthorityURL === null &&
  channel.overrideMailProviderScope === null

/** Which mailbox a channel stands for, and the credentials for it. */
export class Mailboxes extends Context.Tag("casework/Mailboxes")<
  Mailboxes,
  {
    /** The BadRequest names what is missing. */
    readonly of: (customerID: CustomerID, channel: StoredChannel) => Effect.Effect<Mailbox, BadRequest>
    /** The same, but none where no mail provider is set up at all: only then may mail take another way. */
    readonly find: (customerID: CustomerID, channel: StoredChannel) => Effect.Effect<Option.Option<Mailbox>, BadRequest>
  }
>() {
  static readonly layer = Layer.effect(
    Mailboxes,
    Effect.gen(function* () {
      const settings = yield* CustomerSettings
      const secrets = yield* Secrets

      const credentialsOf = fn("Mailboxes.credentialsOf")(function* (customerID: CustomerID, channel: StoredChannel) {
        const customer = yield* settings.get(customerID)
        const own = yield* readSecret(secrets, clientSecretPlace(customerID), channel.overrideMailProviderClientSecret)
        return {
          TenantID: channel.overrideMailProviderTenantID ?? customer.mailProviderTenantID,
          ClientID: channel.overrideMailProviderClientID ?? customer.mailProviderClientID,
          ClientSecret: own === null ? customer.mailProviderClientSecret : Redacted.make(own)
        }
      })

      const of = fn("Mailboxes.of")(function* (customerID: CustomerID, channel: StoredChannel) {
        const { emailAddress: address } = channel
        if (channel.channelType !== "Email" || address === null) {
          return yield* BadRequest.of("The channel must be an Email channel with an emailAddress.")
        }
        const given = yield* credentialsOf(customerID, channel)
        const { ClientID: clientID, ClientSecret: clientSecret, TenantID: tenantID } = given
        if (tenantID === null || clientID === null || clientSecret === null) {
          const missing = Object.entries(given).filter(([, value]) => value === null)
          const names = missing.map(([name]) => `mailProvider${name}`).join(", ")
          return yield* BadRequest.of(
            `The mail provider is not configured: set ${names} for the customer, or their overrides for the channel.`
          )
        }
        const { mailProviderAuthorityURL, mailProviderScope } = yield* settings.get(customerID)
        const authorityURL = channel.overrideMailProviderAuthorityURL ?? mailProviderAuthorityURL
        // Otherwise anyone who may edit channels could have the customer's secret sent to a host of their own.
        if (
          channel.overrideMailProviderClientSecret === null &&
          !isSameAuthority(authorityURL, mailProviderAuthorityURL)
        ) {
          return yield* BadRequest.of(
            "The channel's overrideMailProviderAuthorityURL is on another host than the customer's, and the customer's client secret is not sent there: set an overrideMailProviderClientSecret for the channel."
          )
        }
        return {
          customerID,
          address,
          credentials: {
            tenantID,
            clientID,
            clientSecret,
            authorityURL: authorityURL ?? defaultAuthority,
            scope: channel.overrideMailProviderScope ?? mailProviderScope ?? defaultScope
          }
        }
      })

      return {
        of,
        find: fn("Mailboxes.find")(function* (customerID, channel) {
          const given = Object.values(yield* credentialsOf(customerID, channel))
          return given.every((one) => one === null) ? Option.none() : Option.some(yield* of(customerID, channel))
        })
      }
    })
  )
}
