import { Effect } from "effect"
import { answering } from "../support/Hostile.ts"
import { type ReceivedMail, smtpServer } from "../support/SmtpServer.ts"
import { TelephonyServer } from "../support/TelephonyServer.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

/** Which case something is about. */
export const markerIn = (text: string) => /case [0-9a-f-]{36}/.exec(text)?.[0] ?? ""

/** Everything that the service reaches outside, with a memory of what came. */
export const makeOutside = Effect.gen(function* () {
  const upstream = yield* UpstreamServer
  const telephony = yield* TelephonyServer
  const smtp = yield* smtpServer
  const mails: Array<ReceivedMail> = []
  yield* smtp.next.pipe(
    Effect.tap((mail) => Effect.sync(() => mails.push(mail))),
    Effect.forever,
    Effect.forkScoped
  )
  yield* upstream.on("/orders", answering(200, "taken"))
  return {
    upstream,
    telephony,
    /** For the service, so that it finds all of it. */
    env: {
      SMTP_URL: smtp.url,
      TELEPHONY_BASE_URL: telephony.url
    },
    orders: Effect.map(upstream.requests, (requests) =>
      requests.filter(({ url }) => url === "/orders").map(({ body }) => markerIn(body))
    ),
    mails: Effect.sync((): ReadonlyArray<ReceivedMail> => [...mails])
  }
})

export type Outside = Effect.Effect.Success<typeof makeOutside>
