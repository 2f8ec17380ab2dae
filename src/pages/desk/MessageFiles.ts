import type { TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessageAttachment } from "../../../schema/TicketMessageAttachments.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { button, element } from "../dom/Element.ts"
import type { Part } from "../dom/Keyed.ts"
import { whenSeen } from "../dom/Seen.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { fileCard } from "./FileCard.ts"

type Files = ReadonlyArray<TicketMessageAttachment>

/** The files of messages. Each list is loaded when its message comes into view. */
export class MessageFiles {
  readonly #known = new Map<TicketMessageID, Files>()
  readonly #problems = new Map<TicketMessageID, string>()
  #asked = 0
  #round = 0
  readonly #newest = new Map<TicketMessageID, number>()
  readonly #client: Client
  readonly #onNews: () => void

  constructor(client: Client, onNews: () => void) {
    this.#client = client
    this.#onNews = onNews
  }

  /** Called when a ticket is shown, even the same one again: its files may have changed. */
  forget() {
    this.#round += 1
    this.#known.clear()
    this.#problems.clear()
    this.#newest.clear()
  }

  async ask(messageID: TicketMessageID) {
    const asked = ++this.#asked
    this.#newest.set(messageID, asked)
    const isNews = () => this.#newest.get(messageID) === asked
    try {
      const files = await run(this.#client.ticketMessageAttachments.listAttachments({ path: { id: messageID } }))
      if (!isNews()) return
      this.#known.set(messageID, files)
      this.#problems.delete(messageID)
    } catch (error) {
      if (!isNews()) return
      this.#problems.set(messageID, wordsFor(error))
    }
    this.#onNews()
  }

  /** The files that go out with the answer to a message, as far as they are known. */
  forAnswerTo(messageID: TicketMessageID): Files {
    return this.#known.get(messageID)?.filter(({ isCustomerRepProvided }) => isCustomerRepProvided) ?? []
  }

  /**
   * The files shown below a message. Files that representatives added to a customer's message belong to its answer:
   * they are shown where the answer is written, or below the answer that was sent with them.
   */
  below({ hasAttachment, messageID, senderType }: TicketMessage): ReadonlyArray<Part> {
    if (!hasAttachment) return []
    const problem = this.#problems.get(messageID)
    const files = this.#known.get(messageID)
    if (files === undefined) {
      return [
        problem === undefined
          ? { key: "files", looks: `waiting ${this.#round}`, make: () => this.#waiting(messageID) }
          : { key: "files", looks: problem, make: () => this.#failed(messageID, problem) }
      ]
    }
    const own = files.filter(({ isEndUserProvided }) => senderType === "CustomerRep" || isEndUserProvided)
    if (own.length === 0) return []
    const looks = own.map(({ ticketMessageAttachmentID }) => ticketMessageAttachmentID).join()
    const make = () =>
      element("ul", { class: "files", "aria-label": "Files" }, ...own.map((file) => fileCard(this.#client, file)))
    return [{ key: "files", looks, make }]
  }

  #waiting(messageID: TicketMessageID) {
    return whenSeen(element("p", { class: "help files-note" }, "Loading files…"), () => void this.ask(messageID))
  }

  #failed(messageID: TicketMessageID, problem: string) {
    return element(
      "p",
      { class: "help files-note", role: "alert" },
      `Could not load the files. ${problem} `,
      button({ class: "link" }, () => void this.ask(messageID), "Try again")
    )
  }
}
