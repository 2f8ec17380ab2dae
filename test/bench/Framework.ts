import { inTurns, throughput } from "./Load.ts"
import { start } from "./Servers.ts"
import { rate, ratio, startTable } from "./Table.ts"

const rounds = 5

/** What a request costs before there is any service: the same single route in each of them. */
export const benchFramework = async () => {
  const servers = await Promise.all(
    ["httpApi", "fastify", "node"].map((FRAMEWORK, index) =>
      start("dist/test/bench/Alone.js", 4321 + index, "", { FRAMEWORK })
    )
  )
  try {
    const table = startTable(
      ["32 connections", "HttpApi alone", "Fastify alone", "node:http", "to Fastify"],
      ["one route"]
    )
    const meters = servers.map(({ base }) => throughput(base, { method: "GET", path: "/health/live" }))
    for (const { warm } of meters) await warm()
    const [ours = 0, theirs = 0, limit = 0] = await inTurns(
      meters.map(({ round }) => round),
      rounds
    )
    for (const { end } of meters) await end()
    table.row(["one route", rate(ours), rate(theirs), rate(limit), ratio(ours / theirs)])
    table.end()
  } finally {
    for (const server of servers) server.stop()
  }
}
