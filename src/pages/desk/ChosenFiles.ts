import type { TicketID, TicketMessageAttachmentID, TicketMessageID } from "../../../schema/Ids.ts"
import { largestAttachment } from "../../../schema/TicketMessageAttachments.ts"
import { type Client, isRefusal, once, run, wordsFor } from "./Client.ts"
import { Problem } from "./Problem.ts"
import { newKey } from "./Unsent.ts"

/** A file chosen for an answer. It is uploaded only when the answer is sent. */
interface Chosen {
  readonly file: File
  /** The idempotency key of its upload: repeated with the same key, the file arrives only once. */
  readonly key: string
  /** The message that it was to be uploaded to: it may have arrived there although no response came. */
  readonly triedAt: TicketMessageID | undefined
  /** Where it is already: it was uploaded, but the answer was not sent. */
  readonly uploaded: { readonly messageID: TicketMessageID; readonly id: TicketMessageAttachmentID } | undefined
}

// Kept by the page and not by the desk: chosen files outlive a session that ends by itself, as the text does.
const kept = new Map<string, ReadonlyArray<Chosen>>()

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

const noPlace =
  "Files can only be sent in reply to a message that has no reply yet. Remove them to send the text alone."

const ownerOf = (customerRepID: number) => `${customerRepID}:`

const deleteUploaded = async (client: Client, { id, messageID }: NonNullable<Chosen["uploaded"]>) => {
  const path = { id: messageID, attachmentId: id }
  try {
    await run(client.ticketMessageAttachments.deleteAttachment({ path }))
  } catch (error) {
    if (!(error instanceof Problem && error.status === 404)) throw error
  }
}

export const hasChosenFiles = (customerRepID: number) =>
  [...kept.keys()].some((place) => place.startsWith(ownerOf(customerRepID)))

/** Logging out leaves nothing behind, as far as the service can still be reached. */
export const clearChosenFiles = (client: Client, customerRepID: number) => {
  for (const [place, files] of [...kept]) {
    if (!place.startsWith(ownerOf(customerRepID))) continue
    kept.delete(place)
    for (const { uploaded } of files)
      if (uploaded !== undefined) deleteUploaded(client, uploaded).catch(() => undefined)
  }
  removeEventListener("beforeunload", askBeforeLeaving)
}

/** Says why a file cannot be taken; undefined when it can. */
export const refusalOf = ({ name, size }: File) => {
  if (size === 0) return `${name} is empty.`
  return size > largestAttachment ? `${name} is larger than 25 MB.` : undefined
}

/** The files that a representative has chosen for answers and not sent. */
export class ChosenFiles {
  readonly #client: Client
  readonly #owner: string

  constructor(client: Client, customerRepID: number) {
    this.#client = client
    this.#owner = ownerOf(customerRepID)
  }

  of(ticketID: TicketID): ReadonlyArray<Chosen> {
    return kept.get(this.#owner + ticketID) ?? []
  }

  add(ticketID: TicketID, files: ReadonlyArray<File>) {
    const added = files.map((file) => ({ file, key: newKey(), triedAt: undefined, uploaded: undefined }))
    this.#set(ticketID, [...this.of(ticketID), ...added])
  }

  /** A file that the service has, or may have, must be removed there too: it would be sent along otherwise. */
  async remove(ticketID: TicketID, key: string) {
    const find = () => this.of(ticketID).find((one) => one.key === key)
    const chosen = find()
    if (chosen?.triedAt !== undefined) {
      // Repeating the call tells under which id the file arrived, or that it never did.
      await this.#put(ticketID, chosen.triedAt, chosen).catch((error) => {
        if (!isRefusal(error)) throw error
      })
    }
    const uploaded = find()?.uploaded
    if (uploaded !== undefined) await deleteUploaded(this.#client, uploaded)
    this.#set(
      ticketID,
      this.of(ticketID).filter((one) => one.key !== key)
    )
  }

  /** Uploads the files to the message that is about to be answered; those already there are not uploaded again. */
  async upload(ticketID: TicketID, messageID: TicketMessageID | null) {
    if (this.of(ticketID).length === 0) return
    if (messageID === null) throw new Problem(noPlace, 400)
    for (const _ of ["at first", "what is gone again"]) {
      for (const chosen of this.of(ticketID)) {
        try {
          await this.#put(ticketID, messageID, chosen)
        } catch (error) {
          throw new Problem(`${chosen.file.name} could not be uploaded, and nothing was sent. ${wordsFor(error)}`, 400)
        }
      }
      if (await this.#areThere(ticketID, messageID)) return
    }
    throw new Problem("Somebody else keeps removing the files of this reply. Nothing was sent.", 400)
  }

  async #put(ticketID: TicketID, messageID: TicketMessageID, chosen: Chosen) {
    if (chosen.uploaded?.messageID === messageID) return
    if (chosen.uploaded !== undefined) await deleteUploaded(this.#client, chosen.uploaded)
    const tried = { ...chosen, triedAt: messageID, uploaded: undefined }
    this.#change(ticketID, tried)
    const form = new FormData()
    form.append("file", chosen.file)
    const call = this.#client.ticketMessageAttachments.uploadAttachment({ path: { id: messageID }, payload: form })
    try {
      const { ticketMessageAttachmentID: id } = await run(once(`${chosen.key}-${messageID}`, call))
      this.#change(ticketID, { ...tried, uploaded: { messageID, id } })
    } catch (error) {
      if (isRefusal(error)) this.#change(ticketID, { ...tried, triedAt: undefined })
      throw error
    }
  }

  /** A file that arrived may have been removed since: by a colleague, or by a call whose response never came. */
  async #areThere(ticketID: TicketID, messageID: TicketMessageID) {
    const there = await run(this.#client.ticketMessageAttachments.listAttachments({ path: { id: messageID } }))
    const ids = new Set(there.map(({ ticketMessageAttachmentID }) => ticketMessageAttachmentID))
    const missing = this.of(ticketID).filter(({ uploaded }) => uploaded === undefined || !ids.has(uploaded.id))
    for (const one of missing) this.#change(ticketID, { ...one, key: newKey(), uploaded: undefined })
    return missing.length === 0
  }

  /** Removes the files of a refused answer, or the next answer would take them along. */
  async takeBack(ticketID: TicketID) {
    for (const chosen of this.of(ticketID)) {
      if (chosen.uploaded === undefined) continue
      await deleteUploaded(this.#client, chosen.uploaded).then(
        () => this.#change(ticketID, { ...chosen, key: newKey(), triedAt: undefined, uploaded: undefined }),
        () => undefined
      )
    }
  }

  /** Called once the files have been sent. */
  forget(ticketID: TicketID) {
    this.#set(ticketID, [])
  }

  #change(ticketID: TicketID, changed: Chosen) {
    this.#set(
      ticketID,
      this.of(ticketID).map((one) => (one.file === changed.file ? changed : one))
    )
  }

  #set(ticketID: TicketID, files: ReadonlyArray<Chosen>) {
    if (files.length === 0) kept.delete(this.#owner + ticketID)
    else kept.set(this.#owner + ticketID, files)
    // A browser keeps no files across a reload, so it asks first.
    if (kept.size === 0) removeEventListener("beforeunload", askBeforeLeaving)
    else addEventListener("beforeunload", askBeforeLeaving)
  }
}
