import { Duplex } from "node:stream"
import { SqlError } from "@effect/sql"
import type { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import pg from "pg"

type Done = (error?: Error | null) => void

const goodbye = "X".charCodeAt(0)

/**
 * Whether a response is complete: it ends in six bytes, a letter, a length and a state. Without them the client would
 * wait forever.
 */
const isWhole = (answer: Buffer) => answer.at(-6) === "Z".charCodeAt(0)

/** Replaces the network client's socket: the embedded database responds, in this thread, to what is written to it. */
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
    // `data` is a view of the database's own memory, which the next response overwrites.
    const onRawData = (data: Uint8Array) => answer.push(Buffer.from(data))
    this.#pglite
      .execProtocolRawStream(message, { syncToFs: false, onRawData })
      .then(() => {
        const bytes = Buffer.concat(answer)
        if (!isWhole(bytes) && message[0] !== goodbye) throw new Error("The embedded database's response was cut off")
        this.push(bytes)
        done()
      })
      .catch(done)
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done) {
    this.#ask(chunk, done)
  }

  /** Sends the messages of one statement in one go. */
  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer }>, done: Done) {
    this.#ask(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done) {
    this.push(null)
    done()
  }
}

/**
 * Connects the network client to the embedded database, so that statements have names and types as on PostgreSQL. The
 * embedded database's own query API parses and plans each text again, which takes three times as long as running it.
 */
export const connectTo = (pglite: PGlite) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        // Set explicitly, since the client would otherwise read them from the environment, where they describe another
        // database.
        const client = new pg.Client({
          stream: () => new Wire(pglite),
          ssl: false,
          sslnegotiation: "postgres",
          host: "embedded",
          user: "postgres",
          database: "postgres"
        })
        // Without an error listener a broken database would end the process; the failing query reports the error
        // anyway.
        client.on("error", () => undefined)
        await client.connect()
        return client
      },
      catch: (cause) => new SqlError.SqlError({ cause, message: "The embedded database cannot be reached" })
    }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )
