/** Why something did not work, in words for the person at the desk. */
export class Problem extends Error {
  readonly status: number | undefined
  /** How long the service asks to wait before the next try. */
  readonly waitFor: number | undefined
  constructor(message: string, status?: number, waitFor?: number) {
    super(message)
    this.status = status
    this.waitFor = waitFor
  }
}
