import type { TicketMessageAttachment } from "../../../schema/TicketMessageAttachments.ts"
import { button, element, icon, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { whenSeen } from "../dom/Seen.ts"
import { type Client, wordsFor } from "./Client.ts"
import { readFile, readSize, saveFile } from "./FileContent.ts"
import { kindOf, sizeOf } from "./FileWords.ts"
import { isPicture, largestPreview, makePreview } from "./Picture.ts"

/** Shows the name of a file and its kind. */
export const fileName = (name: string, about: HTMLElement) =>
  element(
    "div",
    { class: "file-about" },
    element("span", { class: "file-name", dir: "auto", title: name }, name),
    about
  )

export const removeButton = (name: string, onRemove: () => void) =>
  button({ class: "icon-button", "aria-label": `Remove ${name}`, title: "Remove" }, onRemove, icon(icons.close))

/** A file below its message: its kind, a preview where that is safe, and a button to save it. */
export const fileCard = (client: Client, file: TicketMessageAttachment, onRemove?: () => void) => {
  const kind = kindOf(file.contentType)
  const about = element("span", { class: "file-kind", title: file.contentType }, kind)
  const problem = element("p", { class: "file-problem", role: "alert", hidden: true })
  const fail = (error: unknown) => say(problem, `Could not load the file. ${wordsFor(error)}`)

  let isSaving = false
  const setSaving = (next: boolean) => {
    isSaving = next
    // With the disabled attribute a button would lose the focus.
    download.setAttribute("aria-disabled", String(next))
  }
  const save = async () => {
    if (isSaving) return
    setSaving(true)
    say(problem, undefined)
    try {
      await saveFile(client, file)
    } catch (error) {
      fail(error)
    }
    setSaving(false)
  }
  const download = button(
    { class: "icon-button", "aria-label": `Download ${file.fileName}`, title: "Download" },
    () => void save(),
    icon(icons.save)
  )

  const look = async () => {
    try {
      const size = await readSize(client, file)
      if (size !== undefined) about.textContent = `${kind}, ${size === 0 ? "empty" : sizeOf(size)}`
      if (!isPicture(file) || size === undefined || size > largestPreview) return
      const content = await readFile(client, file)
      // A picture that cannot be drawn is still a file.
      const preview = await makePreview(content, file.fileName).catch(() => undefined)
      if (preview !== undefined) card.prepend(preview)
    } catch (error) {
      fail(error)
    }
  }
  const card = element(
    "li",
    { class: "file", "data-file": file.ticketMessageAttachmentID },
    element(
      "div",
      { class: "file-row" },
      icon(icons.file),
      fileName(file.fileName, about),
      download,
      onRemove && removeButton(file.fileName, onRemove)
    ),
    problem
  )
  return whenSeen(card, () => void look())
}
