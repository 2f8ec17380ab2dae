import { Pool } from "undici"
import { numberIn } from "../support/Fields.ts"
import { type Contest, writes } from "./Compare.ts"
import type { Setting } from "./Contestants.ts"
import { makeAudience } from "./HubClient.ts"
import { type Meter, meterOf } from "./Load.ts"
import { newMessage } from "./NewMessage.ts"

const audience = 100
const senders = 8

/**
 * Posts messages, a few at a time, each until every listener has it. The audience connects only for its server's turn:
 * Casework's would otherwise also receive the messages that the others store in the same database.
 */
export const hubContest = ({ customer, token }: Setting): Contest => {
  const opened = async (base: string) => {
    const pool = new Pool(base, { connections: senders })
    const listeners = await makeAudience(base, `access_token=${token}`, audience)
    const { body, method, path } = newMessage(customer, token)
    const tellAll = async () => {
      const response = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: body()
      })
      await listeners.hasHeard(numberIn(await response.body.json(), "messageID"))
    }
    return meterOf(senders, tellAll, () => {
      listeners.leave()
      return pool.close()
    })
  }
  const once = async <A>(base: string, use: (meter: Meter) => Promise<A>) => {
    const meter = await opened(base)
    const result = await use(meter)
    await meter.end()
    return result
  }
  return {
    name: `hub, a message to ${audience} clients`,
    open: async (base) => ({
      warm: () => once(base, ({ warm }) => warm()),
      round: () => once(base, ({ round }) => round()),
      end: async () => undefined
    }),
    ...writes
  }
}
