import { Effect } from "effect"
import pg from "pg"
import { noLongerThan } from "../NoLongerThan.ts"
import { onEveryNode } from "../queue/Periodically.ts"
import type { Rows, Share } from "./LeanStatements.ts"
import { statementOf } from "./PreparedStatements.ts"
import { allowSilence, breakOffWhenSilent, Silence } from "./Silence.ts"

/** Few, so that statements meet on them: the server then reads and answers several in one go. */
const howMany = 4

/** Who would be behind more gets a connection from the pool. */
const mostAtOnce = 8

/** So does who would be behind one that has not answered for so long (ms). */
const longestSilence = 100

/** A statement that takes longer is not quick, and those behind it have waited enough (ms). */
const longestStatement = 500

/** A database that is away is not asked for a connection by every request (ms). */
const betweenTries = 1000

/** Nor is one that refuses, as a pooler does that takes no statement_timeout as a connection begins (ms). */
const afterRefusal = 60_000

/** A server that has no room, or just starts, does not refuse for good. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && !/^5[37]/.test(error.code ?? "")

/** What stands between the node and the database may forget a connection that nobody uses (ms). */
const longestIdle = 10_000

/** How long a goodbye may take (ms). */
const longestEnd = 2000

const breakOff = (client: pg.Client) => {
  client.connection.stream.destroy()
}

/** The other side may have gone without a word: then nobody says goodbye. */
const end = async (client: pg.Client) => {
  const late = setTimeout(breakOff, longestEnd, client)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}

/** A connection on which statements follow each other without waiting for each other's answers. */
class SharedConnection {
  readonly #options: pg.ClientConfig
  /** How long it may say nothing while a statement is under way (ms). */
  readonly #patience: number
  readonly #opened = new Set<pg.Client>()
  #client: pg.Client | undefined
  #underWay = 0
  #lastMove = 0
  #nextTry = 0
  #isGathering = false

  constructor(options: pg.ClientConfig, patience: number) {
    this.#patience = patience
    this.#options = { ...options, pipeline: true, statement_timeout: longestStatement }
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
    const client = new pg.Client(this.#options)
    this.#opened.add(client)
    client.on("error", () => this.#lose(client))
    client.on("end", () => this.#lose(client))
    const use = () => {
      this.#lastMove = performance.now()
      allowSilence(client, 0)
      this.#client = this.#opened.has(client) ? client : undefined
    }
    client
      .connect()
      .then(() => {
        breakOffWhenSilent(client, this.#patience)
        return client.query("set jit = off")
      })
      .then(use)
      .catch((error: unknown) => {
        if (isRefusal(error)) this.#nextTry = now + afterRefusal
        this.#lose(client)
      })
  }

  #lose(client: pg.Client) {
    this.#opened.delete(client)
    if (this.#client === client) this.#client = undefined
    breakOff(client)
  }

  /**
   * What goes wrong here, for this statement or for one before it, is tried again elsewhere: it changes nothing, and what
   * is wrong with it is wrong there, too.
   */
  run(text: string, values: ReadonlyArray<unknown>, elsewhere: Rows): Rows {
    const client = this.#client
    if (client === undefined) return elsewhere
    return Effect.async((resume) => {
      let isAnswered = false
      const query = statementOf(text, values, (error, result) => {
        if (isAnswered) return
        isAnswered = true
        this.#underWay -= 1
        this.#lastMove = performance.now()
        if (this.#underWay === 0) allowSilence(client, 0)
        if (error) this.#lose(client)
        resume(error ? elsewhere : Effect.succeed("rows" in result ? result.rows : []))
      })
      if (this.#underWay === 0) {
        this.#lastMove = performance.now()
        allowSilence(client, this.#patience)
      }
      this.#underWay += 1
      this.#gather(client)
      client.query(query)
    })
  }

  /** What is asked in one turn of the event loop leaves in one call of the system: each takes as long as much of a request. */
  #gather({ connection: { stream } }: pg.Client) {
    if (this.#isGathering) return
    this.#isGathering = true
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  closeIfIdle(now: number) {
    if (this.isOpen && this.#underWay === 0 && now - this.#lastMove > longestIdle) void this.close()
  }

  async close() {
    this.#client = undefined
    await Promise.all([...this.#opened].map(end))
  }
}

/**
 * Runs statements that are quick whatever the database holds and that change nothing, when there are many at once: on a
 * few connections, one behind the other. With one connection for each, server and service wake each other up for every
 * single one, which takes as long as answering it. Where that does not serve, they run elsewhere.
 */
export const shareConnections = (pool: pg.Pool) =>
  Effect.gen(function* () {
    const silence = yield* Silence
    const all = Array.from({ length: howMany }, () => new SharedConnection(pool.options, silence.shared))
    yield* Effect.addFinalizer(() =>
      noLongerThan(longestEnd)(Effect.promise(() => Promise.all(all.map((shared) => shared.close()))))
    )
    yield* onEveryNode(
      "closing idle connections",
      "10 seconds",
      Effect.sync(() => {
        for (const shared of all) shared.closeIfIdle(performance.now())
      })
    )
    const run: Share = (text, values, elsewhere) => {
      const now = performance.now()
      const [free] = all.filter((shared) => shared.takesMore(now)).sort((a, b) => a.underWay - b.underWay)
      if (free !== undefined) return free.run(text, values, elsewhere)
      // One statement after the other gains nothing.
      if (pool.totalCount - pool.idleCount + pool.waitingCount > 1) for (const shared of all) shared.open(now)
      return elsewhere
    }
    return { run, countOpen: () => all.filter(({ isOpen }) => isOpen).length }
  })
