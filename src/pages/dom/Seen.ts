const waiting = new WeakMap<Element, () => void>()

// Fires a little before the element scrolls into view.
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

/** Does something once, as soon as the element comes into view. */
export const whenSeen = <E extends Element>(node: E, run: () => void): E => {
  waiting.set(node, run)
  observer.observe(node)
  return node
}
