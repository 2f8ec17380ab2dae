import { createHash, randomUUID } from "node:crypto"
import { Effect, Layer, Option, Schema } from "effect"
import { CustomerRepID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AuthRepo, resetTokenHours } from "./AuthRepo.ts"

const Payload = Schema.Struct({ customerRepID: CustomerRepID })

/** The payload holds only the representative; the token is made with the mail and never stored in plain text. */
export const sendResetMail = jobKind({
  kind: "SendResetMail",
  payload: Payload
})

export const hashResetToken = (token: string) => createHash("sha256").update(token.toLowerCase()).digest("base64url")

const resetMail = (to: string, rep: { readonly name: string | null; readonly username: string }, link: string) => ({
  to,
  isConfidential: true,
  subject: "Set a new password",
  text: `Hello ${rep.name ?? rep.username},

a new password was requested for your Casework login ${rep.username}. To set it, open this link within ${resetTokenHours} hours:

${link}

If you did not request it, ignore this mail: your password stays unchanged.
`
})

export const PasswordResetJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const repo = yield* AuthRepo
    const mailer = yield* SystemMail
    const { baseUrl } = yield* Settings
    yield* jobs.handle(
      sendResetMail,
      fn("PasswordReset.sendMail")(function* (customerID, { customerRepID }, { ageSeconds, askedAt }) {
        // The requester has given up by now and might think that somebody else had asked for the mail.
        if (ageSeconds > resetTokenHours * 3600)
          return yield* Effect.logWarning("a password reset mail was not sent: it would be too late")
        const rep = yield* repo.find(customerID, customerRepID)
        if (Option.isNone(rep) || rep.value.email === null) return
        const { email } = rep.value
        const token = randomUUID()
        const asked = { email, at: askedAt }
        // Not sent if a newer mail was sent meanwhile, or the password or the address has changed since the request.
        if (!(yield* repo.replaceResetToken(customerID, customerRepID, hashResetToken(token), asked))) return
        const link = `${baseUrl}/reset-password?token=${token}`
        return yield* mailer.send(customerID, resetMail(email, rep.value, link))
      })
    )
  })
)
