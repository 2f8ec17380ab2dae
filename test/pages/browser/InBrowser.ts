import { describe, it } from "vitest"
import { browserPath } from "./Browser.ts"

/** Runs tests that need a browser. The service needs none, so a machine without one can run all the others. */
export const inBrowser = (name: string, tests: () => void) => {
  if (browserPath !== undefined) return tests()
  console.log("Browser tests are skipped: no chromium is installed (CHROMIUM_PATH may name one).")
  describe.skip(name, () => it("needs chromium", () => undefined))
}
