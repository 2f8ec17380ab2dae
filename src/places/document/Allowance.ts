/** How much is left, for a whole document, of something that costs far more in Word than in HTML. */
export interface Allowance {
  left: number
}

/** Far more than people write; without a limit a short text could ask for millions. */
export const makeAllowance = (most = 50_000): Allowance => ({ left: most })
