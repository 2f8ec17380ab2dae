import { build } from "esbuild"
import type { Page } from "playwright-core"

const checks = build({
  entryPoints: ["test/pages/browser/Checks.ts"],
  bundle: true,
  write: false,
  format: "iife",
  globalName: "checks",
  target: "es2022"
}).then(({ outputFiles }) => outputFiles[0]?.text ?? "")

const ask = async (page: Page, question: string): Promise<unknown> =>
  page.evaluate(`(() => { ${await checks}; return checks.${question}() })()`)

/** All accessibility checks of a page as it stands; empty when all is well. */
export const barriers = async (page: Page) => ({
  faintTexts: await ask(page, "faintTexts"),
  namelessControls: await ask(page, "namelessControls"),
  doubledIds: await ask(page, "doubledIds"),
  overflowsSideways: await ask(page, "overflowsSideways")
})

const looks = [
  { colorScheme: "light", width: 1440, height: 900 },
  { colorScheme: "dark", width: 1440, height: 900 },
  { colorScheme: "light", width: 360, height: 720 },
  { colorScheme: "dark", width: 360, height: 720 }
] as const

/** The same in light and dark, on desktop and phone; returns only what is wrong. */
export const barriersInAllLooks = async (page: Page) => {
  const found: Array<unknown> = []
  for (const { colorScheme, height, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.setViewportSize({ width, height })
    const { doubledIds, faintTexts, namelessControls, overflowsSideways } = await barriers(page)
    for (const one of [doubledIds, faintTexts, namelessControls].flat()) found.push([colorScheme, width, one])
    if (overflowsSideways === true) found.push([colorScheme, width, "overflows sideways"])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

export const noBarriers = { faintTexts: [], namelessControls: [], doubledIds: [], overflowsSideways: false }

export const focused = (page: Page) => ask(page, "focused")
