/** How much of something that costs far more in Word than in HTML is still left, in a whole document. */
export interface Allowance {
  left: number
}

/** Far more than people write: a short text could ask for millions. */
export const makeAllowance = (most = 50_000): Allowance => ({ left: most })
