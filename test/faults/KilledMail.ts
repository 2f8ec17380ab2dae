import { Effect } from "effect"
import { emptyDatabase, secrets } from "../bench/Databases.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { runMailFaults } from "./Mail.ts"
import { type Fault, secondsSince } from "./Stage.ts"

/** kill -9 at random moments of an import, a renewal and a send. */
export const killedMail = (moments: number): Fault =>
  Effect.gen(function* () {
    const DATABASE_URL = yield* Effect.promise(() => emptyDatabase("casework_faults_mail"))
    const started = Date.now()
    const found = yield* runMailFaults({ ...secrets, DATABASE_URL, DEMO: "true" }, moments)
    return {
      fault: "killed while mail comes and goes",
      rounds: found.kills,
      acknowledged: found.mails + found.answers,
      lost: [...found.lost, ...found.answersLost],
      doubled: [...found.doubled, ...found.answersDoubled],
      untruths: found.isSubscribed && found.subscriptions === 1 ? [] : ["the subscription is not the provider's"],
      // The harness itself restarts the service; only the state in the end counts.
      recoveredAfter: "by hand" as const,
      notes: [`${found.mails} mails`, `${found.answers} answers`, `${secondsSince(started).toFixed(0)} s in all`]
    }
  }).pipe(Effect.provide(GraphServer.layer))
