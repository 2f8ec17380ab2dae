import { Schema, Struct } from "effect"
import type { ChannelCreate, ChannelUpdate } from "../../schema/Channels.ts"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { PhoneNumber } from "../../schema/PhoneNumber.ts"
import { mask } from "../platform/Masking.ts"
import type { ChannelFields } from "./ChannelsRepo.ts"
import { isSameAuthority } from "./MailAuthority.ts"

/** What a channel has that nobody has written anything into. */
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

/** The one type that has the field. */
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

/** A channel after a write: what was not written stays, except fields of a type that it no longer has. */
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
 * A client secret that is not in the write goes nowhere else because of it: the customer's only to the customer's
 * authority, and the channel's own to where it went before. Nobody who cannot read a secret is to choose who gets it.
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
            "must be written with an overrideMailProviderAuthorityURL on another host: no secret that is stored already is sent there"
        }
      ]
}
