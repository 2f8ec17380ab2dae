import { SqlError } from "@effect/sql"
import { Effect } from "effect"
import pg from "pg"
import { noLongerThan } from "./NoLongerThan.ts"
import { onEveryNode } from "./Periodically.ts"
import { statementOf } from "./PreparedStatements.ts"

/** Few, so that statements meet on them: the server then reads and answers several in one go. */
const howMany = 4

/** Who would be behind more gets a connection from the pool. */
const mostAtOnce = 8

/** So does who would be behind one that has not answered for so long (ms). */
const longestSilence = 100

/** A database that is away is not asked for a connection by every request (ms). */
const betweenTries = 1000

/** What stands between the node and the database may forget a connection that nobody uses (ms). */
const longestIdle = 10_000

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** A connection on which statements follow each other without waiting for each other's answers. */
class SharedConnection {
  readonly #options: pg.ClientConfig
  readonly #prepare: (client: pg.Client) => Promise<unknown>
  readonly #opened = new Set<pg.Client>()
  #client: pg.Client | undefined
  #underWay = 0
  #lastMove = 0
  #nextTry = 0

  constructor(options: pg.ClientConfig, prepare: (client: pg.Client) => Promise<unknown>) {
    this.#options = options
    this.#prepare = prepare
  }

  get isOpen() {
    return this.#client !== undefined
  }

  get underWay() {
    return this.#underWay
  }

  takesMore(now: number) {
    const isAnswering = this.#underWay === 0 || now - this.#lastMove < longestSilence
    return this.isOpen && this.#underWay < mostAtOnce && isAnswering
  }

  /** It is there for later: opening it takes longer than a statement on another one. */
  open(now: number) {
    if (this.#opened.size > 0 || now < this.#nextTry) return
    this.#nextTry = now + betweenTries
    const client = new pg.Client({ ...this.#options, pipeline: true })
    this.#opened.add(client)
    const drop = () => {
      this.#opened.delete(client)
      if (this.#client === client) this.#client = undefined
    }
    client.on("error", drop)
    client.on("end", drop)
    const use = () => {
      this.#lastMove = performance.now()
      this.#client = this.#opened.has(client) ? client : undefined
    }
    const giveUp = () => {
      drop()
      return client.end()
    }
    client
      .connect()
      .then(() => this.#prepare(client))
      .then(use)
      .catch(giveUp)
      .catch(() => undefined)
  }

  run(text: string, values: ReadonlyArray<unknown>): Rows {
    const client = this.#client
    return Effect.async((resume) => {
      let isAnswered = false
      const query = statementOf(text, values, (error, result) => {
        if (isAnswered) return
        isAnswered = true
        this.#underWay -= 1
        this.#lastMove = performance.now()
        resume(
          error
            ? Effect.fail(new SqlError.SqlError({ cause: error, message: "Failed to execute statement" }))
            : Effect.succeed("rows" in result ? result.rows : [])
        )
      })
      if (this.#underWay === 0) this.#lastMove = performance.now()
      this.#underWay += 1
      client?.query(query)
    })
  }

  async closeIfIdle(now: number) {
    if (this.isOpen && this.#underWay === 0 && now - this.#lastMove > longestIdle) await this.close()
  }

  async close() {
    this.#client = undefined
    await Promise.all([...this.#opened].map((client) => client.end()))
  }
}

/**
 * Runs statements that are quick whatever the database holds and that change nothing, when there are many at once: on a
 * few connections, one behind the other. With one connection for each, server and service wake each other up for every
 * single one, which takes as long as answering it. When this gives back nothing the pool serves better.
 */
export const shareConnections = (pool: pg.Pool, prepare: (client: pg.Client) => Promise<unknown>) =>
  Effect.gen(function* () {
    const all = Array.from({ length: howMany }, () => new SharedConnection(pool.options, prepare))
    yield* Effect.addFinalizer(() =>
      noLongerThan("2 seconds")(Effect.promise(() => Promise.allSettled(all.map((shared) => shared.close()))))
    )
    yield* onEveryNode(
      "closing idle connections",
      "10 seconds",
      Effect.promise(() => Promise.allSettled(all.map((shared) => shared.closeIfIdle(performance.now()))))
    )
    return {
      countOpen: () => all.filter(({ isOpen }) => isOpen).length,
      run: (text: string, values: ReadonlyArray<unknown>): Rows | undefined => {
        const now = performance.now()
        const [free] = all.filter((shared) => shared.takesMore(now)).sort((a, b) => a.underWay - b.underWay)
        if (free !== undefined) return free.run(text, values)
        // One statement after the other gains nothing.
        if (pool.totalCount - pool.idleCount + pool.waitingCount > 1) for (const shared of all) shared.open(now)
        return undefined
      }
    }
  })
