const waiting = new WeakMap<Element, () => void>()

// A little before it scrolls into view.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      observer.unobserve(target)
      waiting.get(target)?.()
    }
  },
  { rootMargin: "200px" }
)

/** Does something once, as soon as somebody can see the element. */
export const whenSeen = <E extends Element>(node: E, run: () => void): E => {
  waiting.set(node, run)
  observer.observe(node)
  return node
}
