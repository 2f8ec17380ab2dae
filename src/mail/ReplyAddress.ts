const guid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

const inAddress = new RegExp(`\\+(${guid})@`, "i")

const inMessageID = new RegExp(`^<casework-\\d+-(${guid})@[^>]+>$`, "i")

/** The ticket tokens in addresses such as support+<token>@acme.example. */
export const tokensInAddresses = (addresses: ReadonlyArray<string>): ReadonlyArray<string> =>
  addresses.flatMap((address) => inAddress.exec(address)?.[1]?.toLowerCase() ?? [])

/** The Message-ID of an answer: the same for every attempt to send it. */
export const answerMessageID = (ticketMessageID: number, ticketToken: string, host: string) =>
  `<casework-${ticketMessageID}-${ticketToken}@${host}>`

/** Whether the service itself has sent the mail: an answer or a notification. */
export const isOwnMessageID = (messageID: string) => /^<casework-[^>]+>$/i.test(messageID)

/** The ticket tokens in the Message-IDs of our own answers. */
export const tokensInMessageIDs = (messageIDs: ReadonlyArray<string>): ReadonlyArray<string> =>
  messageIDs.flatMap((messageID) => inMessageID.exec(messageID)?.[1]?.toLowerCase() ?? [])
