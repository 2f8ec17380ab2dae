import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { button, element } from "../dom/Element.ts"
import { richText } from "../dom/RichText.ts"
import { mailFrame } from "./MailFrame.ts"
import { saysMore } from "./SaysMore.ts"

const bubbleOf = (text: string) =>
  text === ""
    ? element("div", { class: "bubble" }, element("span", { class: "help" }, "No text"))
    : element("div", { class: "bubble", dir: "auto" }, ...richText(text))

/** The text of a message, or on request its HTML if that says more. The choice lasts as long as the element. */
export const messageBody = ({ htmlBody, senderType }: TicketMessage, text: string) => {
  const bubble = bubbleOf(text)
  if (htmlBody === null || senderType !== "EndUser" || !saysMore(htmlBody, text)) return bubble
  let frame: HTMLIFrameElement | undefined
  const turn = () => {
    frame?.remove()
    frame = frame === undefined ? mailFrame(htmlBody) : undefined
    bubble.hidden = frame !== undefined
    if (frame !== undefined) bubble.after(frame)
    toggle.textContent = frame === undefined ? "Show formatted" : "Show as text"
  }
  const toggle = button({ class: "link" }, turn, "Show formatted")
  return element("div", { class: "bodies" }, bubble, toggle)
}
