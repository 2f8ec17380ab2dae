import type { TicketMessageAttachment } from "../../../schema/TicketMessageAttachments.ts"
import { button, element, listen } from "../dom/Element.ts"
import { pictureSize } from "./PictureSize.ts"

/** The types that are drawn here; drawings that may hold scripts are not among them. */
const drawn = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** Larger files can only be saved: they would be loaded just to show a thumbnail. */
export const largestPreview = 10 * 1024 * 1024

/** Pictures that would take much memory to draw can only be saved as well, however small the file. */
const mostPixels = 40_000_000

export const isPicture = ({ contentType }: TicketMessageAttachment) => drawn.has(contentType)

/** Whether the header of a picture states a size that may be drawn. */
export const isDrawable = (content: ArrayBuffer) => {
  const { height, width } = pictureSize(content) ?? { height: Number.NaN, width: Number.NaN }
  return width * height <= mostPixels
}

const stamp = { width: 220, height: 150 }

const draw = (picture: ImageBitmap, name: string, most: { readonly width: number; readonly height: number }) => {
  const share = Math.min(1, most.width / picture.width, most.height / picture.height)
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * share)))
  const canvas = element("canvas", { width, height, role: "img", "aria-label": name })
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** Only the canvas is kept: the decoded picture, which takes 50 MB for a photo, is not. */
const drawOnce = async (content: Blob, name: string, most: Parameters<typeof draw>[2]) => {
  const picture = await createImageBitmap(content)
  const canvas = draw(picture, name, most)
  picture.close()
  return canvas
}

const open = async (content: Blob, name: string) => {
  const most = { width: innerWidth * devicePixelRatio, height: innerHeight * devicePixelRatio }
  const canvas = await drawOnce(content, name, most)
  if (document.querySelector("dialog") !== null) return
  const dialog = listen(
    element(
      "dialog",
      { class: "picture", "aria-label": name },
      canvas,
      element(
        "div",
        { class: "dialog-foot" },
        element("span", { class: "help" }, name),
        button({ class: "secondary" }, () => dialog.close(), "Close")
      )
    ),
    { close: () => dialog.remove() }
  )
  document.body.append(dialog)
  dialog.showModal()
}

/**
 * A small preview that opens a large one. It is painted, not linked: the page needs no permission to load pictures from
 * anywhere, and only the pixels of a file get into it.
 */
export const makePreview = async (content: Blob, name: string) => {
  if (!isDrawable(await content.arrayBuffer())) return undefined
  const most = { width: stamp.width * devicePixelRatio, height: stamp.height * devicePixelRatio }
  const preview = await drawOnce(content, name, most)
  return button({ class: "preview", "aria-label": `Open ${name}` }, () => void open(content, name), preview)
}
