type Child = Node | string | false | null | undefined

interface Listeners {
  click?(event: MouseEvent): void
  input?(event: Event): void
  change?(event: Event): void
  submit?(event: SubmitEvent): void
  keydown?(event: KeyboardEvent): void
  scroll?(event: Event): void
  focusin?(event: FocusEvent): void
  focusout?(event: FocusEvent): void
  mouseleave?(event: MouseEvent): void
  toggle?(event: Event): void
  close?(event: Event): void
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>> & { readonly on?: never }

const prepare = <E extends Element>(node: E, attributes: Attributes, children: ReadonlyArray<Child>): E => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value))
  }
  node.append(...children.filter((child) => child !== false && child !== null && child !== undefined))
  return node
}

/** Creates an element; text that goes into it always stays text. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => prepare(document.createElement(tag), attributes, children)

export const listen = <E extends Element>(node: E, listeners: Listeners): E => {
  for (const [type, listener] of Object.entries(listeners)) node.addEventListener(type, listener)
  return node
}

export const button = (attributes: Attributes, onClick: () => void, ...children: ReadonlyArray<Child>) =>
  listen(element("button", { type: "button", ...attributes }, ...children), { click: onClick })

/** Shows text in its own element, which is hidden without any. The same text again is not announced again. */
export const say = (place: HTMLElement, words: string | undefined) => {
  place.hidden = words === undefined
  if (place.textContent !== (words ?? "")) place.textContent = words ?? ""
}

const svg = "http://www.w3.org/2000/svg"

/** A decorative drawing of one path on a 24 by 24 grid; its meaning is given in text beside it. */
export const icon = (path: string) =>
  prepare(
    document.createElementNS(svg, "svg"),
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", class: "icon" },
    [prepare(document.createElementNS(svg, "path"), { d: path }, [])]
  )
