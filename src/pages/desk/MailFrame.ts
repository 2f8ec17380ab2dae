import { element } from "../dom/Element.ts"
import { showMail, trusted } from "./MailContent.ts"

/** The frame inherits the policy of the page; this one allows still less. */
const blank = `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; form-action 'none'"><base target="_blank"></head></html>`

/**
 * Nothing runs in the frame, as it may have no scripts. It is of the same origin for the page alone, which fills it and
 * measures its height. A page that a link opens is not bound by this.
 */
const sandbox = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"

/** Always light: mails set dark letters, and seldom the paper below them. */
const looks = `
  html { color-scheme: light; background: #fff; color: #182030; font: 15px/1.5 system-ui, sans-serif }
  body { display: flow-root; margin: 0; padding: 11px 15px; overflow-wrap: break-word }
  body > :first-child, body > :first-child > :first-child { margin-top: 0 }
  body > :last-child, body > :last-child > :last-child { margin-bottom: 0 }
  img { max-width: 100%; height: auto }
  a { color: #2a4fb8 }
  pre { white-space: pre-wrap }
  td, th { padding: 2px 4px; vertical-align: top; text-align: start }
  blockquote { margin: 8px 0; padding-inline-start: 12px; border-inline-start: 3px solid #7d8698; color: #566074 }
  .target { position: relative; z-index: 1; display: inline-block; max-width: 100%; margin-inline: 4px; padding: 0 6px; border-radius: 5px;
    overflow-wrap: anywhere; background: #fdf1dd; color: #8a4b00; font: 600 13px/1.5 system-ui, sans-serif }
`

const fill = (frame: HTMLIFrameElement, html: string) => {
  const { contentDocument: inner } = frame
  const view = inner?.defaultView
  if (!inner || !view) return
  const sheet = new view.CSSStyleSheet()
  sheet.replaceSync(looks)
  inner.adoptedStyleSheets = [sheet]
  inner.body.dir = "auto"
  showMail(inner.body, html)
  const { documentElement: root } = inner
  const adjust = () => {
    const border = frame.offsetHeight - frame.clientHeight
    const scrollBar = view.innerHeight - root.clientHeight
    frame.style.height = `${Math.ceil(root.getBoundingClientRect().height) + border + scrollBar}px`
  }
  adjust()
  new ResizeObserver(adjust).observe(root)
}

/** Shows the HTML of a mail as its author meant it, without loading or running anything. */
export const mailFrame = (html: string) => {
  const frame = element("iframe", { class: "formatted", title: "Formatted message", sandbox })
  frame.srcdoc = trusted(blank)
  // A frame that is moved within the page loads anew.
  frame.addEventListener("load", () => fill(frame, html))
  // A short one is shown to its end, a long one from its beginning.
  frame.addEventListener("load", () => frame.scrollIntoView({ block: "nearest" }), { once: true })
  return frame
}
