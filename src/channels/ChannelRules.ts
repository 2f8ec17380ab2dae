import { Schema, Struct } from "effect"
import type { ChannelCreate, ChannelUpdate } from "../../schema/Channels.ts"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { PhoneNumber } from "../../schema/PhoneNumber.ts"
import { mask } from "../platform/secrets/Masking.ts"
import type { ChannelFields } from "./ChannelsRepo.ts"
import { isSameAuthority } from "./MailAuthority.ts"

/** The fields of an empty channel. */
const nothing = {
  connectionDetails: null,
  emailAddress: null,
  hostnames: null,
  phoneNumber: null,
  isDefaultTranslationChannel: false,
  autoRetrieveEmails: false,
  overrideMailProviderTenantID: null,
  overrideMailProviderClientID: null,
  overrideMailProviderClientSecret: null,
  overrideMailProviderAuthorityURL: null,
  overrideMailProviderScope: null
}

type Specific = Exclude<keyof typeof nothing, "connectionDetails">

/** The one channel type that each field belongs to. */
const owners: Readonly<Record<Specific, ChannelType>> = {
  emailAddress: "Email",
  autoRetrieveEmails: "Email",
  overrideMailProviderTenantID: "Email",
  overrideMailProviderClientID: "Email",
  overrideMailProviderClientSecret: "Email",
  overrideMailProviderAuthorityURL: "Email",
  overrideMailProviderScope: "Email",
  hostnames: "Chat",
  isDefaultTranslationChannel: "Chat",
  phoneNumber: "Phone"
}

const foreignFields = (channelType: ChannelType) => Struct.keys(owners).filter((field) => owners[field] !== channelType)

/** A channel after a write: fields that were not written stay, unless they belong to another type of channel. */
export const mergeChannel = (
  written: ChannelCreate | (ChannelUpdate & Pick<ChannelFields, "channelType" | "name" | "isActive">),
  stored: Partial<ChannelFields> = {}
): ChannelFields => {
  const merged = { ...nothing, ...stored, ...written }
  return { ...merged, ...Struct.pick(nothing, ...foreignFields(merged.channelType)) }
}

const isEmpty = (value: string | boolean | null | undefined) =>
  value === undefined || value === null || value === false || value === "" || value === mask

const isPhoneNumber = Schema.is(PhoneNumber)

/** Everything that is wrong with a write, given the channel as it would be after it. */
export const channelProblems = (
  written: ChannelCreate | ChannelUpdate,
  { channelType, connectionDetails }: Pick<ChannelFields, "channelType" | "connectionDetails">
): ReadonlyArray<{ readonly path: string; readonly message: string }> => [
  ...foreignFields(channelType)
    .filter((field) => !isEmpty(written[field]))
    .map((path) => ({ path, message: `must be empty: only ${owners[path]} channels have it` })),
  ...(channelType === "WhatsApp" && !isEmpty(connectionDetails) && !isPhoneNumber(connectionDetails)
    ? [{ path: "connectionDetails", message: "must be the number of the WhatsApp channel: + and 7 to 15 digits" }]
    : [])
]

/**
 * A write without a client secret must not redirect a stored one: the customer's goes only to the customer's authority,
 * the channel's own only where it went before. A caller who cannot read a secret must not choose who receives it.
 */
export const secretProblems = (
  { overrideMailProviderAuthorityURL: authority, overrideMailProviderClientSecret: secret }: ChannelUpdate,
  stored: Pick<ChannelFields, "overrideMailProviderAuthorityURL" | "overrideMailProviderClientSecret"> | undefined,
  customersAuthority: string | null
) => {
  const before = stored?.overrideMailProviderAuthorityURL ?? customersAuthority
  const next = authority === undefined ? before : (authority ?? customersAuthority)
  const isKept =
    (secret === undefined || secret === mask) && (stored?.overrideMailProviderClientSecret ?? null) !== null
  const known = isKept ? [customersAuthority, before] : [customersAuthority]
  const isWritten = authority !== undefined || secret !== undefined
  return !isWritten || !isEmpty(secret) || known.some((one) => isSameAuthority(next, one))
    ? []
    : [
        {
          path: "overrideMailProviderClientSecret",
          message:
            "is required with an overrideMailProviderAuthorityURL on another host: stored secrets are not sent to a new host"
        }
      ]
}
