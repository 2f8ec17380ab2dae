import { randomUUID } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { eventually } from "../support/Eventually.ts"
import { field, listIn, numberIn } from "../support/Fields.ts"
import { freePort, root } from "../support/Processes.ts"
import { startService } from "../support/ServiceProcess.ts"
import { sharedData } from "../support/SharedData.ts"
import { ask, login, must } from "./Api.ts"

const rounds = 2

/** A quick version of the harness, which has more kinds of faults: npm run faults. */
it.live(
  "Acknowledged work exists exactly once, however often the process is killed with -9 under load",
  () =>
    Effect.gen(function* () {
      const env = { ...(yield* sharedData), AI_PROVIDER: "sandbox", PORT: String(yield* freePort) }
      let service = yield* startService(env, { root })
      const { base } = service
      const token = yield* login(base)
      const topic = (name: string) => ask(base, "POST", "/api/Topics", { token, body: { name }, key: name })

      const acknowledged: Array<string> = []
      let isOver = false
      const user = Effect.gen(function* () {
        while (!isOver) {
          const name = `Topic ${randomUUID()}`
          // Sent again under its key until it is answered, as a careful client does.
          const { json } = yield* eventually(topic(name), ({ status }) => status === 200, "2 minutes")
          expect(field(json, "name")).toBe(name)
          acknowledged.push(name)
        }
      })
      const users = yield* Effect.fork(Effect.all([user, user, user], { concurrency: 3 }))
      for (let round = 0; round < rounds; round++) {
        const before = acknowledged.length
        yield* eventually(
          Effect.sync(() => acknowledged.length),
          (now) => now > before,
          "1 minute"
        )
        yield* Effect.sleep(yield* Random.nextIntBetween(1, 50))
        yield* service.kill
        service = yield* startService(env, { root })
      }
      isOver = true
      yield* users
      const names: Array<unknown> = []
      for (let page = 1, pages = 1; page <= pages; page++) {
        const list = yield* must(base, "GET", `/api/Topics?pageSize=200&pageNumber=${page}`, { token })
        pages = numberIn(list, "totalPages")
        names.push(...listIn(list, "items").map((item) => field(item, "name")))
      }
      expect(acknowledged.length).toBeGreaterThanOrEqual(rounds)
      for (const name of acknowledged) expect(names.filter((one) => one === name)).toHaveLength(1)
      expect(names.filter((name) => String(name).startsWith("Topic "))).toHaveLength(acknowledged.length)
      // When it is told to stop, the service ends by itself and in order.
      expect(yield* service.stop.pipe(Effect.timeout("2 minutes"))).not.toBeNull()
    }).pipe(Effect.scoped),
  600_000
)
