/** How long a sign of life counts as presence, and how long a visitor waits before the window offers a person. */
export const patience = 25_000

const typingLasts = 6000

/** Who from the other side is with the visitor. */
export class Company {
  joined: ReadonlyArray<{ readonly name: string; readonly after: number | null }> = []
  typist: string | undefined
  /** How often somebody wrote, typed or joined, or an automatic answer came. */
  signsOfLife = 0
  #joinedLast: string | undefined
  #seenLast: string | undefined
  #seenAt = 0
  #typingEnds: ReturnType<typeof setTimeout> | undefined
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Who is present; without a recent sign of life, somebody may have left without notice. */
  get present() {
    return Date.now() - this.#seenAt < patience ? this.#seenLast : undefined
  }

  /** Notes who joined last, perhaps long ago. */
  recall(name: string) {
    this.#joinedLast = name
  }

  join(name: string, after: number | null) {
    this.#see(name, Date.now())
    if (this.#joinedLast === name) return
    this.#joinedLast = name
    this.joined = [...this.joined, { name, after }]
  }

  type(name: string) {
    this.#see(name, Date.now())
    this.typist = name
    clearTimeout(this.#typingEnds)
    this.#typingEnds = setTimeout(() => this.stopTyping(), typingLasts)
  }

  /** An answer without a name, or before anybody has joined, may have been sent automatically. */
  answer(name: string | null, at: number) {
    this.stopTyping()
    if (name === null || this.#joinedLast === undefined) this.signsOfLife += 1
    else this.#see(name, Math.min(at, Date.now()))
  }

  stopTyping() {
    clearTimeout(this.#typingEnds)
    if (this.typist === undefined) return
    this.typist = undefined
    this.#onChange()
  }

  /** Another chat begins, and nobody is in it yet. */
  leave() {
    this.joined = []
    this.#joinedLast = this.#seenLast = undefined
    this.#seenAt = 0
    this.stopTyping()
  }

  #see(name: string, at: number) {
    this.signsOfLife += 1
    if (at < this.#seenAt) return
    this.#seenLast = name
    this.#seenAt = at
  }
}
