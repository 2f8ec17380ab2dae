import { Effect } from "effect"
import pg from "pg"
import { noLongerThan } from "../NoLongerThan.ts"
import { onEveryNode } from "../queue/Periodically.ts"
import type { Rows, Share } from "./LeanStatements.ts"
import { statementOf } from "./PreparedStatements.ts"
import { allowSilence, breakOffWhenSilent, Silence } from "./Silence.ts"

/** How many connections are shared: few, so that statements meet on them, and the server answers several in one go. */
const howMany = 4

/** How many statements may be under way on one of them; the next one gets a connection from the pool. */
const mostAtOnce = 8

/** How long one may have left statements unanswered (ms); the next one gets a connection from the pool. */
const longestSilence = 100

/** A statement that takes longer is not quick, and those behind it have waited enough (ms). */
const longestStatement = 500

/** The pause between two tries to connect (ms): not every request asks a database that is away. */
const betweenTries = 1000

/** The pause after a refusal (ms), as by a pooler that takes no statement_timeout when a connection begins. */
const afterRefusal = 60_000

/** Whether the server refuses for good: one that has no room, or just starts, does not. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && !/^5[37]/.test(error.code ?? "")

/** How long a connection may stay unused (ms): a firewall on the way to the database may forget it then. */
const longestIdle = 10_000

/** How long a goodbye may take (ms). */
const longestEnd = 2000

const breakOff = (client: pg.Client) => {
  client.connection.stream.destroy()
}

/** Says goodbye, or breaks the connection off when the other side has gone without a word. */
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

  /** Opens the connection for later statements: that takes longer than a statement on another one. */
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
   * A statement that fails here, because of itself or of one before it, runs again elsewhere: it changes nothing, and
   * what is wrong with it is wrong there, too.
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
      // Statements that come one after the other gain nothing here.
      if (pool.totalCount - pool.idleCount + pool.waitingCount > 1) for (const shared of all) shared.open(now)
      return elsewhere
    }
    return { run, countOpen: () => all.filter(({ isOpen }) => isOpen).length }
  })
