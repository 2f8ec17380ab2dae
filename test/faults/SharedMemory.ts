import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { listIn, numberIn } from "../support/Fields.ts"
import { ask, login, must } from "./Api.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

const statusWith = (base: string, token: string) =>
  Effect.map(ask(base, "GET", "/api/Actions", { token }), ({ status }) => status)

const attempt = (base: string, username: string) =>
  Effect.map(
    ask(base, "POST", "/api/Auth/login", { body: { username, password: "Wrong-Pass-1", hostname: "localhost" } }),
    ({ status }) => status
  )

/** What one node has learned holds on the other nodes when it dies, and on one that was paused meanwhile. */
export const sharedMemory: Fault = Effect.gen(function* () {
  const stage = yield* setStage({ nodes: 3 })
  const [first, second, third] = stage.nodes
  if (first === undefined || second === undefined || third === undefined) return yield* Effect.dieMessage("three nodes")
  const at = (node: typeof first) => node.process().base
  const problems: Array<string> = []

  const revoked = yield* login(at(first), "globex-admin")
  const admin = yield* login(at(second), "initech-admin")
  // Ten wrong passwords on the first node, which then dies: the other nodes must know of them.
  for (let failure = 0; failure < 10; failure++) yield* attempt(at(first), "acme-agent")
  if ((yield* statusWith(at(third), revoked)) !== 200) problems.push("a good token was refused on the third node")
  yield* third.process().signal("SIGSTOP")

  // A new password on the first node, which dies at once; the paused third one knows nothing of it.
  const me = yield* must(at(first), "GET", "/customerReps", { token: revoked })
  const [rep] = listIn(me, "items")
  const customerRepID = numberIn(rep, "customerRepID")
  yield* must(at(first), "PUT", `/customerReps/${customerRepID}/change-password`, {
    token: revoked,
    body: { customerRepID, newPassword: "Another-Pass-2" }
  })
  yield* first.process().kill
  const killed = Date.now()
  if ((yield* attempt(at(second), "acme-agent")) !== 429) problems.push("throttling died with its node")
  yield* eventually(statusWith(at(second), revoked), (status) => status === 401, "10 seconds").pipe(
    Effect.catchAll(() => Effect.sync(() => problems.push("a revoked token was good for longer than 10 seconds")))
  )
  yield* Effect.sleep(Math.max(0, 8000 - (Date.now() - killed)))
  // Its very first response after the pause must already refuse the token.
  const asked = yield* Effect.fork(statusWith(at(third), revoked))
  yield* Effect.sleep(200)
  yield* third.process().signal("SIGCONT")
  const status = yield* asked
  if (status !== 401) problems.push(`a revoked token was answered ${status} by a node that had been paused`)
  if ((yield* statusWith(at(third), admin)) !== 200) problems.push("a good token was refused after the pause")
  if ((yield* attempt(at(third), "acme-agent")) !== 429) problems.push("throttling was forgotten by the paused node")
  yield* first.restart
  if ((yield* statusWith(at(first), revoked)) !== 401) problems.push("a revoked token was good after a restart")
  return {
    fault: "throttling and revocation when nodes die and pause",
    rounds: 1,
    acknowledged: 2,
    lost: problems,
    doubled: [],
    notes: [],
    untruths: [],
    recoveredAfter: secondsSince(killed)
  }
})
