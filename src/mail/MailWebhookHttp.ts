import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { MailRetrieval } from "../channels/MailRetrieval.ts"
import { entriesOf } from "./NotificationEntry.ts"
import { Notifications } from "./Notifications.ts"

export const MailWebhookHttp = HttpApiBuilder.group(CaseworkApi, "mailWebhook", (handlers) =>
  Effect.gen(function* () {
    const retrieval = yield* MailRetrieval
    const notifications = yield* Notifications
    return handlers
      .handle("validateMailWebhook", ({ urlParams }) => Effect.succeed(urlParams.validationToken))
      .handleRaw("receiveMailNotifications", ({ request, urlParams }) =>
        urlParams.validationToken === undefined || urlParams.validationToken === ""
          ? request.json.pipe(
              Effect.orDie,
              Effect.flatMap((payload) => notifications.receive(entriesOf(payload))),
              Effect.as(HttpServerResponse.text(""))
            )
          : Effect.succeed(HttpServerResponse.text(urlParams.validationToken))
      )
      .handle("subscribeMail", ({ path }) => retrieval.subscribe(path.id))
      .handle("unsubscribeMail", ({ path }) => retrieval.unsubscribe(path.id))
  })
)
