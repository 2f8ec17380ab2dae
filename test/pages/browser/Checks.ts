/** Runs inside the browser: finds what hinders people who cannot see the page, or see it badly. */

type Colour = readonly [red: number, green: number, blue: number, alpha: number]

const everything = (root: Document | ShadowRoot): ReadonlyArray<Element> =>
  [...root.querySelectorAll("*")].flatMap((node) => [
    node,
    ...(node.shadowRoot === null ? [] : everything(node.shadowRoot))
  ])

const isVisible = (node: Element) => {
  const { height, width } = node.getBoundingClientRect()
  return width > 1 && height > 1 && node.checkVisibility({ visibilityProperty: true, opacityProperty: true })
}

/** Lets the browser itself read any colour, mixed ones included. */
const makeReader = () => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  return (text: string): Colour => {
    if (context === null) return [0, 0, 0, 1]
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = text
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
}

const over = (top: Colour, below: Colour): Colour => {
  const mix = (at: 0 | 1 | 2) => top[at] * top[3] + below[at] * (1 - top[3])
  return [mix(0), mix(1), mix(2), 1]
}

const luminance = ([red, green, blue]: Colour) => {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (one: Colour, other: Colour) => {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (brighter + 0.05) / (darker + 0.05)
}

const parentOf = (node: Element): Element | null => {
  if (node.parentElement !== null) return node.parentElement
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? root.host : null
}

const backgroundOf = (node: Element, read: (text: string) => Colour): Colour => {
  const layers: Array<Colour> = []
  for (let at: Element | null = node; at !== null; at = parentOf(at)) {
    const colour = read(getComputedStyle(at).backgroundColor)
    layers.push(colour)
    if (colour[3] >= 0.99) break
  }
  const paper = read(getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "#121212" : "#ffffff")
  return layers.reduceRight((below, top) => over(top, below), paper)
}

const hasOwnText = (node: Element) =>
  [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim() !== "")

const describe = (node: Element) =>
  `<${node.tagName.toLowerCase()} class="${node.getAttribute("class") ?? ""}"> ${node.textContent?.trim().slice(0, 40)}`

/** Texts with too little contrast: less than 4.5 to 1, or 3 to 1 for large ones. */
export const faintTexts = (): ReadonlyArray<string> => {
  const read = makeReader()
  return everything(document)
    .filter((node) => hasOwnText(node) && isVisible(node) && !node.matches(":disabled, option, noscript, script"))
    .flatMap((node) => {
      const style = getComputedStyle(node)
      const size = Number.parseFloat(style.fontSize)
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
      const background = backgroundOf(node, read)
      const ratio = contrast(over(read(style.color), background), background)
      return ratio >= (isLarge ? 3 : 4.5) ? [] : [`${ratio.toFixed(2)} ${describe(node)}`]
    })
}

const labelled = (node: Element) =>
  node.getAttribute("aria-labelledby") !== null ||
  (node.getAttribute("aria-label") ?? "").trim() !== "" ||
  (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement
    ? (node.labels?.length ?? 0) > 0
    : (node.textContent ?? "").trim() !== "")

/** Controls without a name. */
export const namelessControls = (): ReadonlyArray<string> =>
  everything(document)
    .filter((node) => node.matches("button, a[href], input, textarea, select, [role=button], [tabindex], dialog"))
    .filter((node) => isVisible(node) && !labelled(node))
    .map(describe)

/** Ids that occur more than once in their tree. */
export const doubledIds = (): ReadonlyArray<string> => {
  const seen = new Map<Node, Set<string>>()
  return everything(document)
    .filter(({ id }) => id !== "")
    .flatMap((node) => {
      const ids = seen.get(node.getRootNode()) ?? new Set()
      seen.set(node.getRootNode(), ids)
      if (ids.has(node.id)) return [node.id]
      ids.add(node.id)
      return []
    })
}

/** The name of the element that has the focus, even inside a shadow root. */
export const focused = () => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? ""
}

export const overflowsSideways = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
