import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { barriersInAllLooks } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import { atTheDesk, mail, openTicket, question, said, sayMore, settled } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  return box ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** The visible share of an element. */
const seenOf = (page: Page, selector: string) =>
  page.evaluate<number>(`new Promise((done) => new IntersectionObserver(([entry], observer) => {
    observer.disconnect()
    done(entry.intersectionRatio)
  }).observe(document.querySelector('${selector}')))`)

const formatted = `<p>Pay <a href="https://portal.example/4711">this invoice</a> of <s>120</s> 90 € at
  <a href="https://evil.example/">https://www.mybank.example/login</a></p><p style="color:#ffffff">Soon</p>
  <p><bdo dir="rtl"><a href="https://evil.example/">evil.example/moc.knabym//:sptth</a></bdo> or <bdo dir="rtl">
  <a href="https://acme.example/"><u>acme.example</u><br></a></bdo>, <a href="mailto:?subject=Look">share it</a></p>
  <table><tr><td>${"wide".repeat(300)}</td></tr></table><blockquote>What do I owe?</blockquote>`

const bank = "https://www.mybank.example/login"

/** Links that would move their target away from their words, or something else over it. */
const evasive = `<div><a href="https://evil.example/">${bank}${"<br>".repeat(60)}</a></div>
  <div><a href="https://evil.example/"><b>Log in: </b><i>${bank}</i>${"<div>&nbsp;</div>".repeat(60)}</a></div>
  <table><tr><td><a href="https://evil.example/">${bank}${"&nbsp;".repeat(300)}</a></td></tr>
  <tr><td>${"_".repeat(900)}</td></tr></table>
  <table><tr><td>Dear<br><br>Eva</td><td rowspan="2"><a href="https://evil.example/">${bank}${" to log in".repeat(50)}</a></td></tr>
  <tr><td colspan="2"><span style="background-color:#ffffff">${"Yours sincerely, your bank. ".repeat(30)}</span></td></tr></table>`

/** What the sanitiser would have removed. */
const hostile = `<script>parent.ran = 1</script><img src="https://spy.example/a.png" onerror="parent.ran = 1">
  <svg onload="parent.ran = 1"></svg><iframe src="https://spy.example/b" srcdoc="<script>parent.ran = 1</script>"></iframe>
  <link rel="stylesheet" href="https://spy.example/c.css"><style>@import "https://spy.example/d.css"</style>
  <p style="position: fixed; background: url(https://spy.example/e.png)">Hello <b onclick="parent.ran = 1">you</b></p>
  <a href="javascript:parent.ran = 1">Press</a><form action="https://spy.example/f"><button>Go</button></form>
  <meta http-equiv="refresh" content="0;url=https://spy.example/g">${"<p>On and on</p>".repeat(100)}`

const inner = 'document.querySelector("iframe").contentDocument'

/** How each target is seen: beside the end of the words, inside the view, and not below anything else. */
const targetsSeen = `[...${inner}.querySelectorAll(".target")].map((target) => {
    target.scrollIntoView({ block: "center" })
    ${inner}.documentElement.scrollLeft = 0
    const { bottom, left, right, top } = target.getBoundingClientRect()
    const range = ${inner}.createRange()
    const texts = ${inner}.createTreeWalker(target.previousElementSibling, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const end = texts.currentNode.data.trimEnd().length
      if (end > 0) range.setStart(texts.currentNode, end - 1)
      if (end > 0) range.setEnd(texts.currentNode, end)
    }
    if (top - range.getBoundingClientRect().bottom > 20) return "far below"
    if (right > ${inner}.documentElement.clientWidth) return "outside"
    return target === ${inner}.elementFromPoint((left + right) / 2, (top + bottom) / 2) ? "seen" : "covered"
  })`

/** Adds a remote picture to the frame itself, as if it had got past everything before. */
const putPicture = `new Promise((done) => {
    const picture = ${inner}.createElement("img")
    for (const type of ["error", "load"]) picture.addEventListener(type, () => done(true))
    picture.src = "https://spy.example/h.png"
    ${inner}.body.append(picture)
  })`

const lookTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("The desk on screens of all sizes", (it) => {
    it.scoped("keeps the question visible above a long draft", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("When do I get my deposit back?")
        const { ticketMessages } = yield* clientOf("acme-admin")
        const aiReply = "We look into it.\n\n".repeat(20)
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply } })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "When do I get my deposit back?")
          await page.locator(".message .author").getByText("eva@mail.example", { exact: true }).waitFor()
          await page.locator(".reply").getByText("To eva@mail.example", { exact: true }).waitFor()
          for (const [width, height] of [
            [1280, 600],
            [640, 360],
            [360, 640]
          ] as const) {
            await page.setViewportSize({ width, height })
            await page.reload()
            await said(page, "When do I get my deposit back?")
            await page.getByText("AI draft").waitFor()
            const seen = [await seenOf(page, ".message .bubble"), await seenOf(page, ".reply .primary")]
            expect([width, height, ...seen]).toEqual([width, height, 1, 1])
          }
          // On the lowest screen everything scrolls together, so that its head can be reached as well.
          await page.setViewportSize({ width: 640, height: 360 })
          await page.getByRole("button", { name: "Details" }).scrollIntoViewIfNeeded()
          expect(await seenOf(page, ".ticket-head h1")).toBe(1)
        })
      })
    )

    it.scoped("shows a message that is longer than the screen from its first line", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("The story of my roof")
        yield* sayMore(ticketID, `It began so.\n${"And it went on.\n".repeat(100)}`)
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByText("It began so.").waitFor()
          await settled(page)
          const [view, message] = [await boxOf(page, ".talk .scroll"), await boxOf(page, ".message:last-child")]
          expect(message.height).toBeGreaterThan(view.height)
          expect(message.y - view.y).toBeGreaterThanOrEqual(0)
          expect(message.y - view.y).toBeLessThan(60)
        })
      })
    )

    it.scoped("shows on request how a mail was formatted, with the real targets of its links", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("Pay this invoice", { htmlBody: formatted })
        const { complaints, page } = yield* atTheDesk
        const content = page.frameLocator(".message iframe").locator("body")
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Show formatted" }).press("Enter")
          await page.locator("iframe[style]").waitFor()
          // From here on the browser reports the scripts with which the test looks into the frame.
          expect(complaints).toEqual([])
          expect(await content.locator("s").textContent()).toBe("120")
          expect(await content.locator(".target").allTextContents()).toEqual([
            "→ portal.example",
            "→ evil.example",
            "→ evil.example"
          ])
          // Turned round it would read as another place.
          expect(await content.locator("a").nth(3).innerHTML()).toBe('<bdi dir="ltr">acme.example</bdi>')
          // White letters on white would be unreadable.
          expect(await page.evaluate(`getComputedStyle(${inner}.querySelector("p + p")).color`)).toBe("rgb(0, 0, 0)")
          await page.context().route("https://portal.example/**", (route) => route.fulfill({ body: "Due" }))
          const [tab] = await Promise.all([page.waitForEvent("popup"), content.getByText("this invoice").click()])
          await tab.getByText("Due").waitFor()
          expect([tab.url(), await tab.evaluate("opener")]).toEqual(["https://portal.example/4711", null])
          expect(await barriersInAllLooks(page)).toEqual([])
        })
        yield* sayMore(ticketID, "Well?")
        yield* Effect.promise(async () => {
          await said(page, "Well?")
          await page.getByRole("button", { name: "Show as text" }).press("Enter")
          await page.getByRole("button", { name: "Show formatted" }).and(page.locator(":focus")).waitFor()
          await said(page, "Pay this invoice")
          expect(await page.locator("iframe").count()).toBe(0)
        })
      })
    )

    it.scoped("shows the target of a link beside its words and above everything else", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("Log in", { htmlBody: evasive })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Show formatted" }).click()
          await page.locator("iframe[style]").waitFor()
          expect(await page.evaluate(targetsSeen)).toEqual(Array.from({ length: 4 }, () => "seen"))
        })
      })
    )

    it.scoped("runs nothing in a formatted mail and loads nothing for it, even what was not removed before", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("Hello you", { htmlBody: "<b>Hello you</b>" })
        const { page } = yield* atTheDesk
        const asked: Array<string> = []
        yield* Effect.promise(async () => {
          await page.context().route("https://*.example/**", (route) => {
            asked.push(route.request().url())
            return route.fulfill({ body: "" })
          })
          await page.route("**/ticketMessages?*", async (route) => {
            const response = await route.fetch()
            const text = await response.text()
            return route.fulfill({ response, body: text.replace(/"<b>Hello you<.b>"/, JSON.stringify(hostile)) })
          })
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Show formatted" }).click()
          const content = page.frameLocator(".message iframe")
          await content.getByText("you").click()
          await content.getByText("Press").click()
          const remains = `[...new Set([...${inner}.body.querySelectorAll("*")].flatMap(({ attributes, localName }) =>
            [localName, ...[...attributes].map(({ name }) => name)]))]`
          expect(await page.evaluate(remains)).toEqual(["p", "style", "b", "a"])
          expect(await page.locator("iframe").getAttribute("sandbox")).not.toMatch(/scripts|forms|top-navigation/)
          await page.evaluate(putPicture)
          expect([asked, await page.evaluate("globalThis.ran"), page.context().pages().length]).toEqual([
            [],
            undefined,
            1
          ])
          const { height } = await boxOf(page, "iframe")
          expect(height).toBeLessThan(700)
          expect(await page.evaluate<number>(`${inner}.documentElement.scrollHeight`)).toBeGreaterThan(height)
        })
      })
    )

    it.scoped("shows every folder, and a search field as wide as the list", () =>
      Effect.gen(function* () {
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          for (const width of [320, 360, 761, 1000, 1240, 1440]) {
            await page.setViewportSize({ width, height: 700 })
            expect([width, await seenOf(page, ".filters .tab:last-child")]).toEqual([width, 1])
            const [list, field] = [await boxOf(page, ".filters"), await boxOf(page, ".filters input")]
            expect(list.width - field.width).toBeLessThan(32)
          }
        })
      })
    )

    it.scoped("shows notices above the buttons, all of these, and long names on one line", () =>
      Effect.gen(function* () {
        const name = "Maximiliana".repeat(21)
        const { messageID, ticketID } = yield* question("Are you there?", { fromName: name })
        const { ticketMessages } = yield* clientOf("acme-admin")
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "We are" } })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.setViewportSize({ width: 360, height: 640 })
          await page.locator(".about").getByText(name).waitFor()
          expect((await boxOf(page, ".ticket-head")).height).toBeLessThan(140)
          expect((await boxOf(page, ".message .author")).height).toBeLessThan(40)
          await page.getByLabel("Your reply").fill("We are indeed")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByText("Draft saved.").waitFor()
          const toast = await boxOf(page, ".toast")
          const reply = await boxOf(page, ".reply")
          expect(toast.y + toast.height).toBeLessThanOrEqual(reply.y)
          await page.getByLabel("Your reply").fill("We are still")
          await page.setViewportSize({ width: 320, height: 640 })
          for (const one of await page.locator(".commands .secondary, .reply-foot button:not([hidden])").all()) {
            const { width = 0, x = 0 } = (await one.boundingBox()) ?? {}
            expect([await one.textContent(), x >= 0, x + width <= 308]).toEqual([await one.textContent(), true, true])
          }
        })
      })
    )
  })

inBrowser("The desk on screens of all sizes", lookTests)
