import { Effect, Layer, Scope } from "effect"
import { type ServiceProcess, startService } from "../support/ServiceProcess.ts"
import { TelephonyServer } from "../support/TelephonyServer.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { delayingProxy } from "./DelayingProxy.ts"
import { prepareCompany } from "./Load.ts"
import { makeOutside } from "./Outside.ts"
import { throwawayPostgres } from "./ThrowawayPostgres.ts"
import { type Watch, watch } from "./Watch.ts"

/** A row of the table. */
export interface Row {
  readonly fault: string
  readonly rounds: number
  readonly acknowledged: number
  readonly lost: ReadonlyArray<string>
  readonly doubled: ReadonlyArray<string>
  /** What was untrue about readiness; empty when it was always true. */
  readonly untruths: ReadonlyArray<string>
  /** Seconds until it served again by itself. */
  readonly recoveredAfter: number | "by hand"
  readonly notes: ReadonlyArray<string>
}

/** One fault: what is done to the service, and what came of it. */
export type Fault = Effect.Effect<Row, unknown, Scope.Scope>

export interface StagedNode {
  readonly process: () => ServiceProcess
  readonly watch: Watch
  /** Starts the node again on its port after it has ended. */
  readonly restart: Effect.Effect<void>
}

const secrets = {
  JWT_SECRET: "faults-jwt-secret-of-enough-length",
  SECRETS_KEY: "faults-secrets-key-of-enough-length"
}

/** Starts the service on so many nodes, with a database of its own and all outside services that it calls. */
export const setStage = (options: {
  readonly nodes: number
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArguments?: ReadonlyArray<string>
  /** Makes the upstream server the AI provider. */
  readonly openAi?: boolean
  /** Further ports that the service may call. */
  readonly allow?: ReadonlyArray<number>
}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Layer.build(Layer.merge(UpstreamServer.layer, TelephonyServer.layer))
    const outside = yield* Effect.provide(makeOutside, context)
    const postgres = yield* throwawayPostgres
    const proxy = yield* delayingProxy(postgres.port)
    const env = {
      ...secrets,
      DATABASE_URL: postgres.url(proxy.port),
      DEMO: "true",
      AI_PROVIDER: "sandbox",
      RATE_LIMIT: "off",
      RATE_LIMIT_ADDRESS: "off",
      HUB_LIMIT_ADDRESS: "off",
      HUB_LIMIT_MESSAGES: "off",
      ...outside.env,
      ...(options.openAi === true && { OPENAI_BASE_URL: `${outside.upstream.url}/v1` }),
      OUTBOUND_ALLOW: [outside.upstream.port, ...(options.allow ?? [])].map((port) => `127.0.0.1:${port}`).join(","),
      ...options.env
    }
    const start = (port?: string) =>
      startService(port === undefined ? env : { ...env, PORT: port }, {
        root: process.cwd(),
        nodeArguments: options.nodeArguments ?? []
      }).pipe(Scope.extend(scope), Effect.orDie)
    const nodes: Array<StagedNode> = []
    for (let index = 0; index < options.nodes; index++) {
      let current = yield* start()
      const { base } = current
      nodes.push({
        process: () => current,
        watch: yield* watch(base),
        restart: Effect.map(start(new URL(base).port), (started) => {
          current = started
        })
      })
    }
    const first = nodes[0]
    if (first === undefined) return yield* Effect.dieMessage("There is no node")
    const company = yield* prepareCompany(first.process().base, outside)
    let turn = 0
    /** Takes turns among the nodes that say they are ready; when none does, among all. */
    const next = () => {
      const ready = nodes.filter((node) => node.watch.isReady())
      const candidates = ready.length > 0 ? ready : nodes
      turn += 1
      return candidates[turn % candidates.length]?.process().base ?? ""
    }
    return { outside, postgres, proxy, nodes, first, target: { next, company } }
  })

export type Stage = Effect.Effect.Success<ReturnType<typeof setStage>>

export const secondsSince = (moment: number) => (Date.now() - moment) / 1000
