import { benchFiles } from "./Files.ts"
import { benchFramework } from "./Framework.ts"
import { growthWithClients, growthWithCustomers, growthWithTickets } from "./Growth.ts"
import { benchHub } from "./Hub.ts"
import { benchMail } from "./Mail.ts"
import { benchPipeline } from "./Pipeline.ts"
import { benchPlaces } from "./Places.ts"
import { benchRequests, requestParts } from "./Requests.ts"
import { benchSoak } from "./Soak.ts"
import { benchTickets } from "./Tickets.ts"

const benches: Readonly<Record<string, () => Promise<void>>> = {
  growth: async () => {
    await growthWithTickets()
    await growthWithCustomers()
    await growthWithClients()
  },
  requests: benchRequests,
  files: benchFiles,
  hub: benchHub,
  mail: benchMail,
  pipeline: benchPipeline,
  places: benchPlaces
}

/** Parts of the benchmarks above, for a shorter run. */
const parts: Readonly<Record<string, () => Promise<void>>> = {
  tickets: benchTickets,
  framework: benchFramework,
  ...requestParts
}

const runNamed = async (wanted: ReadonlyArray<string>) => {
  const known = { ...benches, ...parts }
  const unknown = wanted.find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) {
    console.error(`There is no benchmark ${unknown}. There is: ${Object.keys(known).join(", ")}, --soak.`)
    process.exitCode = 1
    return
  }
  for (const name of wanted) await known[name]?.()
}

const [first, seconds = "600", ...rest] = process.argv.slice(2)
if (first !== "--soak") await runNamed(first === undefined ? Object.keys(benches) : process.argv.slice(2))
else if (rest.length === 0 && Number(seconds) > 0) await benchSoak(Number(seconds))
else {
  console.error("Say --soak, or --soak and the number of seconds.")
  process.exitCode = 1
}
