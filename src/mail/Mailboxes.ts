import { Context, Effect, Layer, Redacted } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { clientSecretPlace } from "../channels/ChannelColumns.ts"
import type { StoredChannel } from "../channels/ChannelsRepo.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { readSecret } from "../platform/Masking.ts"
import { Secrets } from "../platform/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { defaultAuthority, isSameAuthority } from "./MailAuthority.ts"
import type { Mailbox } from "./MailGraph.ts"

const defaultScope = "https://graph.microsoft.com/.default"

/** Which mailbox a channel stands for, and how to get into it. */
export class Mailboxes extends Context.Tag("casework/Mailboxes")<
  Mailboxes,
  {
    /** 400 names what is missing. */
    readonly of: (customerID: CustomerID, channel: StoredChannel) => Effect.Effect<Mailbox, BadRequest>
  }
>() {
  static readonly layer = Layer.effect(
    Mailboxes,
    Effect.gen(function* () {
      const settings = yield* CustomerSettings
      const secrets = yield* Secrets
      return {
        of: fn("Mailboxes.of")(function* (customerID, channel) {
          const { emailAddress: address } = channel
          if (channel.channelType !== "Email" || address === null) {
            return yield* BadRequest.of("The channel is not an Email channel with an emailAddress.")
          }
          const customer = yield* settings.get(customerID)
          const override = yield* readSecret(
            secrets,
            clientSecretPlace(customerID),
            channel.overrideMailProviderClientSecret
          )
          const tenantID = channel.overrideMailProviderTenantID ?? customer.mailProviderTenantID
          const clientID = channel.overrideMailProviderClientID ?? customer.mailProviderClientID
          const clientSecret = override === null ? customer.mailProviderClientSecret : Redacted.make(override)
          if (tenantID === null || clientID === null || clientSecret === null) {
            const given = { TenantID: tenantID, ClientID: clientID, ClientSecret: clientSecret }
            const missing = Object.entries(given).filter(([, value]) => value === null)
            const names = missing.map(([name]) => `mailProvider${name}`).join(", ")
            return yield* BadRequest.of(
              `The mail provider is not configured: ${names} missing at the customer and the channel.`
            )
          }
          const authorityURL = channel.overrideMailProviderAuthorityURL ?? customer.mailProviderAuthorityURL
          // Whoever may write channels would otherwise be sent the customer's secret.
          if (override === null && !isSameAuthority(authorityURL, customer.mailProviderAuthorityURL)) {
            return yield* BadRequest.of(
              "The channel's overrideMailProviderAuthorityURL is on another host than the customer's, and the customer's client secret is not sent there: give the channel its own overrideMailProviderClientSecret."
            )
          }
          return {
            address,
            credentials: {
              tenantID,
              clientID,
              clientSecret,
              authorityURL: authorityURL ?? defaultAuthority,
              scope: channel.overrideMailProviderScope ?? customer.mailProviderScope ?? defaultScope
            }
          }
        })
      }
    })
  )
}
