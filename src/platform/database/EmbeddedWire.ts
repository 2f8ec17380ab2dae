import { Duplex } from "node:stream"
import { SqlError } from "@effect/sql"
import type { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import pg from "pg"

type Done = (error?: Error | null) => void

const goodbye = "X".charCodeAt(0)

/** Whether an answer has its end, of six bytes: a letter, a length, a state. Without it the client waits for ever. */
const isWhole = (answer: Buffer) => answer.at(-6) === "Z".charCodeAt(0)

/** Stands where the network client expects a socket: what is written to it the embedded database answers, in this thread. */
class Wire extends Duplex {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect() {
    process.nextTick(() => this.emit("connect"))
    return this
  }

  setNoDelay() {
    return this
  }

  #ask(message: Uint8Array, done: Done) {
    const answer: Array<Buffer> = []
    // What is given is the database's own memory: the next answer overwrites it.
    const onRawData = (data: Uint8Array) => answer.push(Buffer.from(data))
    this.#pglite
      .execProtocolRawStream(message, { syncToFs: false, onRawData })
      .then(() => {
        const bytes = Buffer.concat(answer)
        if (!isWhole(bytes) && message[0] !== goodbye) throw new Error("The embedded database broke off its answer")
        this.push(bytes)
        done()
      })
      .catch(done)
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done) {
    this.#ask(chunk, done)
  }

  /** The messages of one statement, in one go. */
  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer }>, done: Done) {
    this.#ask(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done) {
    this.push(null)
    done()
  }
}

/**
 * The network client, connected to the embedded database. Statements then have names and types as on PostgreSQL; the
 * embedded one's own way to ask it reads and plans each text anew, which takes three times as long as running it.
 */
export const connectTo = (pglite: PGlite) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        // Given here, since the client would take it from the environment, where it is about another database.
        const client = new pg.Client({
          stream: () => new Wire(pglite),
          ssl: false,
          sslnegotiation: "postgres",
          host: "embedded",
          user: "postgres",
          database: "postgres"
        })
        // Without a listener, a database that breaks would end the process; whoever asks it is told.
        client.on("error", () => undefined)
        await client.connect()
        return client
      },
      catch: (cause) => new SqlError.SqlError({ cause, message: "The embedded database cannot be reached" })
    }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )
