const pause = 250

/** A response that takes this long may never come, so the next request does not wait for it. */
const longest = 20_000

/**
 * Keeps one request under way and remembers that another is wanted. However much happens, each response is shown before
 * the next request; starting over on every event would show nothing as long as events keep coming.
 */
export class Turns {
  #asked = 0
  /** The newest request whose response is shown or no longer wanted. */
  #settled = 0
  #isUnderWay = false
  #isAgain = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  readonly #ask: (isNews: () => boolean) => Promise<void>

  /** `ask` calls `isNews` once it has the response, and shows the response only if that returns true. */
  constructor(ask: (isNews: () => boolean) => Promise<void>) {
    this.#ask = ask
  }

  /** Something happened: all events within a moment lead to one request. */
  soon() {
    if (this.#isUnderWay) this.#isAgain = true
    else this.later(pause)
  }

  /** Asks after this time, or earlier if a person asks; without a time, not automatically. */
  later(milliseconds: number | undefined) {
    if (milliseconds !== undefined) this.#timer ??= setTimeout(() => this.now(), milliseconds)
  }

  now() {
    if (this.#isUnderWay) this.#isAgain = true
    else void this.#begin()
  }

  /** Something else is wanted or the connection broke: the response to the current request is ignored. */
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
