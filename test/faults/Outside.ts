import { Effect } from "effect"
import { answering } from "../support/Hostile.ts"
import { type ReceivedMail, smtpServer } from "../support/SmtpServer.ts"
import { TelephonyServer } from "../support/TelephonyServer.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

/** The marker of the case that a text is about. */
export const markerIn = (text: string) => /case [0-9a-f-]{36}/.exec(text)?.[0] ?? ""

/** All outside services that the service calls, which record what they receive. */
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
    /** Environment variables that point the service at them. */
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
