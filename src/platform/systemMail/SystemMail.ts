import { Context, type Effect } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import type { RunAgain } from "../queue/JobRun.ts"
import type { Mail, MailNotSent } from "./Mailer.ts"

/** Mail of the service itself: password resets, notifications. */
export class SystemMail extends Context.Tag("casework/SystemMail")<
  SystemMail,
  {
    /**
     * Sends a mail, marked as automatic unless it is said to be a person's. If it cannot be accepted yet, returns when
     * the job that sends it should run again.
     */
    readonly send: (customerID: CustomerID, mail: Mail) => Effect.Effect<RunAgain | undefined, MailNotSent>
  }
>() {}
