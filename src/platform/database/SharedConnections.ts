import { Effect } from "effect"
import pg from "pg"
import { noLongerThan } from "../concurrency/NoLongerThan.ts"
import { onEveryNode } from "../queue/Periodically.ts"
import type { Rows, Share } from "./LeanStatements.ts"
import { statementOf } from "./PreparedStatements.ts"
import { breakOffWhenSilent, limitSilence, SilenceLimits } from "./SilenceLimits.ts"

/** How many connections are shared: few, so that statements meet on them and the server handles several in one go. */
const howMany = 4

/** How many statements may be under way on a connection; the next one gets a connection from the pool. */
const mostAtOnce = 8

/** How long a connection may leave statements unanswered (ms); the next one gets a connection from the pool. */
const longestSilence = 100

/** The statement timeout (ms): one that takes longer is not quick, and those after it have waited enough. */
const longestStatement = 500

/** The pause between attempts to connect (ms), so that not every request tries a database that is away. */
const betweenTries = 1000

/** The pause after a refusal (ms), such as by a pooler that does not accept statement_timeout as a startup option. */
const afterRefusal = 60_000

/** Whether the server refuses for good, and not because it is out of resources or just starting. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && !/^5[37]/.test(error.code ?? "")

/** How long a connection may stay unused (ms): a firewall on the way to the database may forget it after that. */
const longestIdle = 10_000

/** How long closing a connection may take (ms). */
const longestEnd = 2000

const breakOff = (client: pg.Client) => {
  client.connection.stream.destroy()
}

/** Closes a connection, or cuts it if the other side has silently gone. */
const end = async (client: pg.Client) => {
  const late = setTimeout(breakOff, longestEnd, client)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}

/** A connection on which statements are sent without waiting for the results of earlier ones. */
class SharedConnection {
  readonly #options: pg.ClientConfig
  /** How long the connection may be silent while a statement is under way (ms). */
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

  /** Opens the connection for later statements: opening takes longer than running a statement on another connection. */
  open(now: number) {
    if (this.#opened.size > 0 || now < this.#nextTry) return
    this.#nextTry = now + betweenTries
    const client = new pg.Client(this.#options)
    this.#opened.add(client)
    client.on("error", () => this.#lose(client))
    client.on("end", () => this.#lose(client))
    const use = () => {
      this.#lastMove = performance.now()
      limitSilence(client, 0)
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
   * A statement that fails here, because of itself or an earlier one, runs again elsewhere: it changes nothing, and if
   * it is wrong itself it fails there, too.
   */
  run(text: string, values: ReadonlyArray<unknown>, elsewhere: Rows): Rows {
    const client = this.#client
    if (client === undefined) return elsewhere
    return Effect.async((resume) => {
      let isAnswered = false
      const query = statementOf(client, text, values, (error, result) => {
        if (isAnswered) return
        isAnswered = true
        this.#underWay -= 1
        this.#lastMove = performance.now()
        if (this.#underWay === 0) limitSilence(client, 0)
        if (error) this.#lose(client)
        resume(error ? elsewhere : Effect.succeed("rows" in result ? result.rows : []))
      })
      if (this.#underWay === 0) {
        this.#lastMove = performance.now()
        limitSilence(client, this.#patience)
      }
      this.#underWay += 1
      this.#gather(client)
      client.query(query)
    })
  }

  /**
   * Sends all statements of one turn of the event loop in one system call: each call takes as long as much of a
   * request.
   */
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
 * When there are many quick, read-only statements at once, pipelines them on a few connections; the others run
 * elsewhere. With one connection for each, server and service wake each other up for every statement, which takes as
 * long as running it.
 */
export const shareConnections = (pool: pg.Pool) =>
  Effect.gen(function* () {
    const silence = yield* SilenceLimits
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
      // Statements that come one at a time gain nothing here.
      if (pool.totalCount - pool.idleCount + pool.waitingCount > 1) for (const shared of all) shared.open(now)
      return elsewhere
    }
    return { run, countOpen: () => all.filter(({ isOpen }) => isOpen).length }
  })
