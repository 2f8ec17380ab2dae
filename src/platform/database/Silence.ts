import { Socket } from "node:net"
import { Context } from "effect"
import pg from "pg"

/** How long a connection to the database may say nothing, in milliseconds. */
export class Silence extends Context.Reference<Silence>()("casework/Silence", {
  defaultValue: () => ({
    /** Longer than a statement may take, or a transaction may stand idle. */
    pooled: 65_000,
    /** Nothing that takes long runs on shared connections. */
    shared: 5000
  })
}) {}

const socketOf = (client: pg.ClientBase) => {
  const stream = client instanceof pg.Client ? client.connection.stream : undefined
  return stream instanceof Socket ? stream : undefined
}

/**
 * Allows a silence of this length; 0 is for ever. The same length again does not begin anew: a connection that does not
 * answer gets no more time by being put back and taken.
 */
export const allowSilence = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  if (socket !== undefined && socket.timeout !== milliseconds) socket.setTimeout(milliseconds)
}

/** The code of the error says that the database is away, and may come back. */
const gone = () => Object.assign(new Error("The database has not said anything for too long"), { code: "ETIMEDOUT" })

/**
 * A host that vanishes says nothing: whoever waits for its answer would wait until the network gives up, or for ever.
 */
export const breakOffWhenSilent = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  socket?.once("timeout", () => socket.destroy(gone()))
  allowSilence(client, milliseconds)
}

/** Begins a transaction whose statements may take as long as they like. */
export const withoutLimit = "set local statement_timeout = 0"
