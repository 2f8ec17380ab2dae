import { Socket } from "node:net"
import { Context } from "effect"
import pg from "pg"

/** How long a connection to the database may say nothing, in milliseconds. */
export class Silence extends Context.Reference<Silence>()("casework/Silence", {
  defaultValue: () => ({
    /** Longer than a statement, or a transaction without one, may take. */
    pooled: 65_000,
    /** Nothing that takes long runs on these. */
    shared: 5000
  })
}) {}

const socketOf = (client: pg.ClientBase) => {
  const stream = client instanceof pg.Client ? client.connection.stream : undefined
  return stream instanceof Socket ? stream : undefined
}

/** 0 is for ever. What is allowed already goes on: one that does not answer, and is put back and taken, is not new. */
export const allowSilence = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  if (socket !== undefined && socket.timeout !== milliseconds) socket.setTimeout(milliseconds)
}

/** Its code says of what kind it is: the database is away, and may come back. */
const gone = () => Object.assign(new Error("The database has not said anything for too long"), { code: "ETIMEDOUT" })

/** A host that vanishes says no word: who waits for its answer would wait until the network gives up, or for ever. */
export const breakOffWhenSilent = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  socket?.once("timeout", () => socket.destroy(gone()))
  allowSilence(client, milliseconds)
}

/** Begins a transaction whose statements may take as long as they like. */
export const withoutLimit = "set local statement_timeout = 0"
