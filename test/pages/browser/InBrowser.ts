import { describe, it } from "vitest"
import { browserPath } from "./Browser.ts"

/** Tests that need a browser. The service itself needs none, so a machine without one can test all the rest. */
export const inBrowser = (name: string, tests: () => void) => {
  if (browserPath !== undefined) return tests()
  console.log("Browser tests are skipped: no chromium is installed (CHROMIUM_PATH may name one).")
  describe.skip(name, () => it("needs chromium", () => undefined))
}
