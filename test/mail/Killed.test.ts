import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { runMailFaults } from "../faults/Mail.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { root } from "../support/Processes.ts"
import { sharedData } from "../support/SharedData.ts"

layer(GraphServer.layer, { excludeTestServices: true })("The service killed with -9", (it) => {
  it.scoped("imports every mail once, sends every answer once and keeps its subscription", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => promisify(execFile)(process.execPath, ["esbuild.config.mjs"], { cwd: root }))
      expect(yield* runMailFaults(yield* sharedData, 3)).toMatchObject({
        kills: 3,
        mails: 48,
        lost: [],
        doubled: [],
        answersLost: [],
        answersDoubled: [],
        subscriptions: 1,
        isSubscribed: true
      })
    })
  )
})
