import { Socket } from "node:net"
import { Context } from "effect"
import pg from "pg"

/** How long a database connection may be silent, in milliseconds. */
export class SilenceLimits extends Context.Reference<SilenceLimits>()("casework/SilenceLimits", {
  defaultValue: () => ({
    /** Longer than the limits for statements and for idle transactions. */
    pooled: 65_000,
    /** Nothing slow runs on shared connections. */
    shared: 5000
  })
}) {}

const socketOf = (client: pg.ClientBase) => {
  const stream = client instanceof pg.Client ? client.connection.stream : undefined
  return stream instanceof Socket ? stream : undefined
}

/**
 * Allows a silence of this length; 0 means forever. Setting the same length again does not restart the timer: a
 * connection that does not respond gets no more time by being released and acquired.
 */
export const limitSilence = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  if (socket !== undefined && socket.timeout !== milliseconds) socket.setTimeout(milliseconds)
}

/** The error code says that the database is away and may come back. */
const gone = () => Object.assign(new Error("The database has not responded for too long"), { code: "ETIMEDOUT" })

/**
 * Cuts a connection that is silent for too long: waiting for a host that vanished would last until the network gives
 * up, or forever.
 */
export const breakOffWhenSilent = (client: pg.ClientBase, milliseconds: number) => {
  const socket = socketOf(client)
  socket?.once("timeout", () => socket.destroy(gone()))
  limitSilence(client, milliseconds)
}

/** Lifts the statement timeout for the current transaction. */
export const withoutLimit = "set local statement_timeout = 0"
