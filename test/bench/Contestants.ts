import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Contest, compare } from "./Compare.ts"
import { filledDatabase, placeRareWord, type SomeCustomer, someCustomer } from "./Databases.ts"
import { many, rareWord } from "./Growth.ts"
import { caseworkFile, start, tokenFor } from "./Servers.ts"

/** The environment of a contest. */
export interface Setting {
  readonly url: string
  readonly customer: SomeCustomer
  readonly token: string
  /** The URL of Casework, for setting up what a contest needs. */
  readonly base: string
}

/** Starts the three servers on one database and one folder of files, and has them take turns at the same work. */
export const compareServers = async (
  contestsIn: (setting: Setting) => Promise<ReadonlyArray<Contest>>,
  /** The twin as it is, or doing everything for each request that the contract requires. */
  twinHas: "no duties" | "duties" = "no duties"
) => {
  const url = await filledDatabase(many)
  const customer = await someCustomer(url)
  await placeRareWord(url, customer.customerID, rareWord)
  const folder = await mkdtemp(join(tmpdir(), "casework-bench-"))
  const env = { ROLE: "web", BLOB_STORE: "folder", DATA_DIR: folder }
  const casework = await start(caseworkFile, 4311, url, env)
  const twin = await start("dist/test/bench/Twin.js", 4312, url, {
    ...env,
    DUTIES: twinHas === "duties" ? "on" : "off"
  })
  const bare = await start("dist/test/bench/Bare.js", 4313, url, env)
  try {
    const token = await tokenFor(casework.base, customer.customerID, customer.customerRepID)
    const contests = await contestsIn({ url, customer, token, base: casework.base })
    await compare({ casework, twin, bare }, contests, twinHas === "duties" ? "twin with duties" : "Fastify twin")
  } finally {
    for (const server of [casework, twin, bare]) server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
