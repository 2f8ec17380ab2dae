import { Effect } from "effect"
import type { Page } from "playwright-core"
import { localUrl, openWindow } from "./Browser.ts"

/** Opens the chat on the demo web site. */
export const openChat = async (page: Page) => {
  await page.getByRole("button", { name: "Open the chat" }).click()
  await page.getByText("We are here to help").waitFor()
}

export const sayInChat = async (page: Page, text: string) => {
  const input = page.getByRole("textbox", { name: "Write a message" })
  await input.fill(text)
  await input.press("Enter")
}

/** Waits until the message is known to the service. */
export const arrived = (page: Page, text: string) =>
  page.locator(".line.visitor[data-message]").filter({ hasText: text }).waitFor()

export const logIn = async (page: Page, username = "acme-admin") => {
  await page.getByLabel("Username").fill(username)
  await page.getByLabel("Password").fill("Demo-Pass-1")
  await page.getByRole("button", { name: "Log in" }).click()
  await page.getByText("Live", { exact: true }).waitFor()
}

export const chatWindow = Effect.flatMap(localUrl, (url) => openWindow(`${url}/demo/chat`))

export const deskWindow = Effect.flatMap(localUrl, (url) =>
  openWindow(`${url}/desk`, { viewport: { width: 1440, height: 900 } })
)
