import type { Page } from "playwright-core"

/** The time is another one, as when a machine has slept: nothing that waits for its time is hurried. */
export const putForward = async (page: Page, seconds: number) => {
  const now = await page.evaluate<number>("Date.now()")
  await page.clock.setSystemTime(now + seconds * 1000)
}
