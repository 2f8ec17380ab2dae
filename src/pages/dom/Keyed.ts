/** A part of a view. */
export interface Part {
  readonly key: string
  /** Describes its look; as long as that stays the same so does the element, and nothing is read out twice. */
  readonly looks: string
  readonly make: () => HTMLElement
}

interface Known {
  readonly looks: string
  readonly node: HTMLElement
}

/** The child indices that lead from the outer element to the inner one. */
const wayTo = (inner: Element, outer: Element): ReadonlyArray<number> => {
  const parent = inner === outer ? null : inner.parentElement
  return parent === null ? [] : [...wayTo(parent, outer), [...parent.children].indexOf(inner)]
}

const atEndOf = (way: ReadonlyArray<number>, outer: Element) =>
  way.reduce<Element | undefined>((at, index) => at?.children[index], outer)

const focusIn = (parent: Element) => {
  const root = parent.getRootNode()
  const active = root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null
  return active instanceof HTMLElement && parent.contains(active) ? active : undefined
}

/**
 * Shows parts inside an element and changes only what has changed, so that focus, selection and scroll position stay.
 * When a part with the focus is replaced, the same place in its replacement gets the focus.
 */
export const makeKeyed = (parent: HTMLElement) => {
  let known = new Map<string, Known>()
  return (parts: ReadonlyArray<Part>) => {
    const before = known
    const active = focusIn(parent)
    known = new Map(
      parts.map(({ key, looks, make }) => {
        const same = before.get(key)
        return [key, same?.looks === looks ? same : { looks, node: make() }]
      })
    )
    const heir = active && heirOf(active, before, known)
    const nodes = [...known.values()].map(({ node }) => node)
    const staying = new Set<Element>(nodes)
    for (const node of [...parent.children]) if (!staying.has(node)) node.remove()
    for (const [index, node] of nodes.entries()) {
      if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null)
    }
    // Moving an element makes it lose the focus.
    if (heir !== undefined && focusIn(parent) !== heir) heir.focus({ preventScroll: true })
  }
}

const heirOf = (active: HTMLElement, before: ReadonlyMap<string, Known>, now: ReadonlyMap<string, Known>) => {
  for (const [key, { node }] of before) {
    if (!node.contains(active)) continue
    const next = now.get(key)?.node
    if (next === undefined || next === node) return next && active
    const [heir] = [atEndOf(wayTo(active, node), next), ...[...next.querySelectorAll(active.tagName)].reverse()].filter(
      (one) => one?.tagName === active.tagName
    )
    return heir instanceof HTMLElement ? heir : undefined
  }
  return undefined
}
