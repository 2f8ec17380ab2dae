import { Effect } from "effect"
import { clientOf } from "../../support/TestApp.ts"
import { hostPage } from "./Browser.ts"

/** A separate chat channel on somebody else's web site. */
export const makeChatSite = Effect.fnUntraced(function* (service: string, hostnames?: string) {
  const { channels } = yield* clientOf("acme-admin")
  const { channelID, token } = yield* channels.createChannel({
    payload: {
      channelType: "Chat",
      name: "A shop's chat",
      isActive: true,
      ...(hostnames !== undefined && { hostnames })
    }
  })
  const tag = `<script src="${service}/widget.js" data-channel-token="${token}"></script>`
  const siteIn = (lang: string, tags = tag) =>
    hostPage({
      html: `<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width">${tags}`,
      styles: "",
      policy: `default-src 'none'; script-src ${service}; connect-src ${service} ${service.replace("http", "ws")}`
    })
  const setActive = (isActive: boolean) => channels.updateChannel({ path: { id: channelID }, payload: { isActive } })
  return { channelID, tag, siteIn, setActive, delete: channels.deleteChannel({ path: { id: channelID } }) }
})
