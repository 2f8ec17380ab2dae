/** The share of verdicts that the sandbox must get right. */
export const thresholds = { topics: 0.75, spam: 0.9, language: 0.95 } as const
