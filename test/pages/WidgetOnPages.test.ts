import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { testApp } from "../support/TestApp.ts"
import { focused } from "./browser/Barriers.ts"
import { Browser, localUrl, openWindow } from "./browser/Browser.ts"
import { makeChatSite } from "./browser/ChatSite.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { openChat } from "./browser/People.ts"

const resolve = "**/api/ChannelTranslations/resolve**"

/** A page with shortcuts of its own, as many have: every key that is not typed into a field is one. */
const shortcuts = `
  heard = []
  for (const type of ["keydown", "keypress", "keyup", "beforeinput", "input", "paste", "copy", "cut"]) {
    document.addEventListener(type, (event) => {
      if (["INPUT", "TEXTAREA"].includes(event.target.tagName)) return
      heard.push([type, event.key ?? ""].join(" ").trim())
      if (type === "keydown" && ["s", "/", " "].includes(event.key)) event.preventDefault()
    })
  }`

const onPagesTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("A chat window on somebody's page", (it) => {
    it.scoped("keeps what is written in it from the page's shortcuts, and only while open", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { complaints, page } = yield* openWindow(yield* site.siteIn("en"))
        yield* Effect.promise(async () => {
          await page.evaluate(shortcuts)
          const launcher = page.getByRole("button", { name: "Open the chat" })
          await launcher.focus()
          await page.keyboard.press("Space")
          await page.getByText("We are here to help").waitFor()
          const input = page.getByRole("textbox")
          await input.pressSequentially("Is s/he in?")
          expect(await input.inputValue()).toBe("Is s/he in?")
          for (const keys of ["ControlOrMeta+a", "ControlOrMeta+c", "ControlOrMeta+x", "ControlOrMeta+v"]) {
            await page.keyboard.press(keys)
          }
          expect(await input.inputValue()).toBe("Is s/he in?")
          await page.keyboard.down("Escape")
          expect(await focused(page)).toBe("Open the chat")
          expect(await page.evaluate("heard")).toEqual([])
          await page.keyboard.up("Escape")

          // When closed, it takes no keys from the page.
          await page.evaluate("heard = []")
          await page.keyboard.press("/")
          expect(await page.evaluate("heard")).toContain("keydown /")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("appears once, however often the page loads it", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { page } = yield* openWindow(yield* site.siteIn("en", site.tag + site.tag))
        yield* Effect.promise(async () => {
          let asked = 0
          page.on("request", (request) => {
            if (request.url().includes("/resolve")) asked += 1
          })
          await page.reload()
          await page.getByRole("button", { name: "Open the chat" }).first().waitFor()
          await page.waitForLoadState("networkidle")
          expect(asked).toBe(1)
          expect(await page.getByRole("button", { name: "Open the chat" }).count()).toBe(1)
        })
      })
    )

    it.scoped("appears with its own texts when the channel's do not load", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { page } = yield* openWindow(yield* site.siteIn("en"))
        yield* Effect.promise(async () => {
          await page.route(resolve, () => undefined)
          await page.reload()
          await page.getByRole("button", { name: "Open the chat" }).waitFor()
          await openChat(page)
        })
      })
    )
  })

inBrowser("A chat window on somebody's page", onPagesTests)
