import type { Page } from "playwright-core"

/** Changes the time without running any timer early, as when a machine has slept. */
export const putForward = async (page: Page, seconds: number) => {
  const now = await page.evaluate<number>("Date.now()")
  await page.clock.setSystemTime(now + seconds * 1000)
}
