import { spawn } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schedule } from "effect"
import type { Page } from "playwright-core"
import sharp from "sharp"
import { Browser, openWindow } from "./Browser.ts"
import { arrived, logIn, openChat, sayInChat } from "./People.ts"

const port = Number(process.env["PORT"] ?? 3000)
const service = `http://localhost:${port}`
const pictures = "src/pages/pictures"

const patiently = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(1200))

/** The service itself, with nothing but the demo data. */
const startService = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "casework-screenshots-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["dist/src/main.js"], {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, PORT: String(port), DATA_DIR: folder }
      })
    ),
    (child) =>
      Effect.async<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  yield* Effect.retry(
    Effect.tryPromise(() => fetch(`${service}/health/ready`)),
    patiently
  )
})

/** Stores a screenshot as small as a picture in a text should be. */
const take = async (page: Page, name: string) => {
  await page.mouse.move(0, 0)
  const bytes = await page.screenshot({ animations: "disabled", caret: "hide" })
  await sharp(bytes)
    .png({ palette: true, quality: 90, effort: 10 })
    .toFile(join(pictures, `${name}.png`))
}

const conversation = Effect.gen(function* () {
  const visitor = yield* openWindow(`${service}/demo/chat`, { viewport: { width: 1100, height: 760 } })
  const desk = yield* openWindow(`${service}/desk`, { viewport: { width: 1360, height: 820 } })
  yield* Effect.promise(async () => {
    await mkdir(pictures, { recursive: true })
    await logIn(desk.page)
    await openChat(visitor.page)
    await sayInChat(visitor.page, "Hello, I lost the key to my flat. What does a new one cost?")
    await desk.page.locator(".item.fresh").first().click()
    await desk.page.getByText("AI draft").waitFor()
    await desk.page.getByRole("tab", { name: "Activity" }).click()
    await desk.page.getByText("AI: draft reply").waitFor()
    await take(desk.page, "desk")
    await desk.page.getByLabel("Your reply").fill("A new key costs 45 EUR. It is ready tomorrow at the office.")
    await desk.page.getByRole("button", { name: "Send", exact: true }).click()
    await visitor.page.getByText("45 EUR").waitFor()
    await sayInChat(visitor.page, "Great, I come by at ten.")
    await arrived(visitor.page, "Great")
    await take(visitor.page, "chat")
  })
})

const otherLooks = Effect.gen(function* () {
  const phone = { colorScheme: "dark", viewport: { width: 390, height: 760 } } as const
  const visitor = yield* openWindow(`${service}/demo/chat?lang=ar`, phone)
  const desk = yield* openWindow(`${service}/desk`, phone)
  yield* Effect.promise(async () => {
    await visitor.page.getByRole("button").last().click()
    await visitor.page.getByText("نحن هنا لمساعدتك").waitFor()
    const input = visitor.page.getByRole("textbox")
    await input.fill("فقدت مفتاح شقتي. كم يكلف مفتاح جديد؟")
    await input.press("Enter")
    await arrived(visitor.page, "فقدت")
    await take(visitor.page, "chat-rtl-dark")
    await logIn(desk.page)
    await desk.page.locator(".item").filter({ hasText: "Remboursement" }).click()
    await desk.page.getByText("AI draft").waitFor()
    await take(desk.page, "desk-phone-dark")
  })
})

Effect.gen(function* () {
  yield* startService
  yield* conversation
  yield* otherLooks
  yield* Console.log(`The pictures are in ${pictures}.`)
}).pipe(Effect.scoped, Effect.provide(Browser.layer), NodeRuntime.runMain)
