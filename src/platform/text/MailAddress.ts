/** Whether a text is one mail address and nothing else: without a name, a comment or a second address. */
export const isPlainAddress = (text: string) => /^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\]+$/.test(text)

export const isSameAddress = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

/** Also matches an address with a tag, as in support+tag@acme.example. */
export const isOfMailbox = (address: string, mailbox: string) =>
  isSameAddress(address, mailbox) || isSameAddress(address.replace(/\+[^@]*/, ""), mailbox)
