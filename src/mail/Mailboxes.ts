import { Context, Effect, Layer, Option, Redacted } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { clientSecretPlace } from "../channels/ChannelColumns.ts"
import type { StoredChannel } from "../channels/ChannelsRepo.ts"
import { defaultAuthority, isSameAuthority } from "../channels/MailAuthority.ts"
import { CustomerSettings, type CustomerWithSecrets } from "../customers/CustomerSettings.ts"
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

interface Given {
  readonly TenantID: string | null
  readonly ClientID: string | null
  readonly ClientSecret: Redacted.Redacted | null
}

const addressOf = ({ channelType, emailAddress }: StoredChannel) =>
  channelType === "Email" && emailAddress !== null
    ? Effect.succeed(emailAddress)
    : BadRequest.of("The channel must be an Email channel with an emailAddress.")

/** Takes the customer as read once: with another reading, a secret might be checked against another host's settings. */
const mailboxOf = (
  { customerID, mailProviderAuthorityURL, mailProviderScope }: CustomerWithSecrets,
  channel: StoredChannel,
  address: string,
  given: Given
): Effect.Effect<Mailbox, BadRequest> => {
  const { ClientID: clientID, ClientSecret: clientSecret, TenantID: tenantID } = given
  if (tenantID === null || clientID === null || clientSecret === null) {
    const missing = Object.entries(given).filter(([, value]) => value === null)
    const names = missing.map(([name]) => `mailProvider${name}`).join(", ")
    return BadRequest.of(
      `The mail provider is not configured: set ${names} for the customer, or their overrides for the channel.`
    )
  }
  const authorityURL = channel.overrideMailProviderAuthorityURL ?? mailProviderAuthorityURL
  // Otherwise anyone who may edit channels could have the customer's secret sent to a host of their own.
  if (channel.overrideMailProviderClientSecret === null && !isSameAuthority(authorityURL, mailProviderAuthorityURL)) {
    return BadRequest.of(
      "The channel's overrideMailProviderAuthorityURL is on another host than the customer's, and the customer's client secret is not sent there: set an overrideMailProviderClientSecret for the channel."
    )
  }
  return Effect.succeed({
    customerID,
    address,
    credentials: {
      tenantID,
      clientID,
      clientSecret,
      authorityURL: authorityURL ?? defaultAuthority,
      scope: channel.overrideMailProviderScope ?? mailProviderScope ?? defaultScope
    }
  })
}

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

      const credentialsOf = Effect.fnUntraced(function* (customer: CustomerWithSecrets, channel: StoredChannel) {
        const place = clientSecretPlace(customer.customerID)
        const own = yield* readSecret(secrets, place, channel.overrideMailProviderClientSecret)
        return {
          TenantID: channel.overrideMailProviderTenantID ?? customer.mailProviderTenantID,
          ClientID: channel.overrideMailProviderClientID ?? customer.mailProviderClientID,
          ClientSecret: own === null ? customer.mailProviderClientSecret : Redacted.make(own)
        }
      })

      return {
        of: fn("Mailboxes.of")(function* (customerID, channel) {
          const address = yield* addressOf(channel)
          const customer = yield* settings.get(customerID)
          return yield* mailboxOf(customer, channel, address, yield* credentialsOf(customer, channel))
        }),
        find: fn("Mailboxes.find")(function* (customerID, channel) {
          const customer = yield* settings.get(customerID)
          const given = yield* credentialsOf(customer, channel)
          const isSetUp = Object.values(given).some((one) => one !== null)
          if (!isSetUp) return Option.none()
          return Option.some(yield* mailboxOf(customer, channel, yield* addressOf(channel), given))
        })
      }
    })
  )
}
