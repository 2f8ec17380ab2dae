const pause = 250

/** An answer that takes this long may never come: the next question does not wait for it. */
const longest = 20_000

/**
 * One question under way, one remembered. However much happens, each answer is shown and the next question follows it;
 * whoever began anew with every event would show nothing as long as there are events.
 */
export class Turns {
  #asked = 0
  /** The newest question whose answer is shown, or that nobody wants to know any more. */
  #settled = 0
  #isUnderWay = false
  #isAgain = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  readonly #ask: (isNews: () => boolean) => Promise<void>

  /** What asks calls `isNews` with the answer in its hands, and shows that only if it is. */
  constructor(ask: (isNews: () => boolean) => Promise<void>) {
    this.#ask = ask
  }

  /** Something happened: what happens within a moment is asked for at once. */
  soon() {
    if (this.#isUnderWay) this.#isAgain = true
    else this.later(pause)
  }

  /** Not before this time, unless a person asks; without one, not by itself. */
  later(milliseconds: number | undefined) {
    if (milliseconds !== undefined) this.#timer ??= setTimeout(() => this.now(), milliseconds)
  }

  now() {
    if (this.#isUnderWay) this.#isAgain = true
    else void this.#begin()
  }

  /** Something else is wanted, or the line was broken: what is under way does not count. */
  anew() {
    if (this.#isStopped) return
    this.#settled = this.#asked
    void this.#begin()
  }

  get #isStopped() {
    return this.#settled === Number.POSITIVE_INFINITY
  }

  stop() {
    this.#settled = Number.POSITIVE_INFINITY
    this.#isUnderWay = true
    clearTimeout(this.#timer)
    clearTimeout(this.#deadline)
  }

  async #begin() {
    const turn = ++this.#asked
    this.#isUnderWay = true
    this.#isAgain = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#end(turn), longest)
    await this.#ask(() => {
      if (turn <= this.#settled) return false
      this.#settled = turn
      return true
    })
    this.#end(turn)
  }

  #end(turn: number) {
    if (turn !== this.#asked || this.#isStopped) return
    clearTimeout(this.#deadline)
    this.#isUnderWay = false
    if (this.#isAgain) this.later(pause)
  }
}
