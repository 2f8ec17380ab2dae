import type { SqlClient, SqlConnection, SqlError } from "@effect/sql"
import { Statement } from "@effect/sql"
import { Effect, FiberRef, Option } from "effect"
import { hasTransaction } from "./InTransaction.ts"

type Connected = Effect.Effect<SqlConnection.Connection, SqlError.SqlError>

/** Both databases provide a statement's connection without a scope: there is nothing to release. */
const isConnected = (value: unknown): value is Connected => Effect.isEffect(value)

/** Returns how statements get their connection: from the transaction around them, or from the pool. */
const connectionOf = (sql: SqlClient.SqlClient): Connected => {
  const statement: object = sql`select 1`
  // `acquirer` is not in the library's types: if it disappears, the service fails at startup.
  if ("acquirer" in statement && isConnected(statement.acquirer)) return statement.acquirer
  throw new Error("A statement of @effect/sql no longer says where it gets its connection from")
}

const isStatement = (made: unknown): made is Statement.Statement<unknown> =>
  Statement.isFragment(made) && Effect.isEffect(made)

export type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Runs a statement together with others on a shared connection, or else through `elsewhere`. */
export type Share = (text: string, values: ReadonlyArray<unknown>, elsewhere: Rows) => Rows

const mark = { isQuick: true }

/** Marks a statement as read-only and quick: an index finds its few rows, however much the database holds. */
export const quick = <A>(statement: Statement.Statement<A>): Statement.Statement<A> => Object.assign(statement, mark)

const isQuick = (statement: object) => "isQuick" in statement

/**
 * Returns a client whose statements go straight to their connection unless they are traced or transformed. The library
 * opens a scope and a span for each, which takes longer than everything else the service does for a quick query.
 */
export const leanStatements = <Client extends SqlClient.SqlClient>(
  sql: Client,
  share: Share = (_text, _values, elsewhere) => elsewhere
): Client => {
  const connection = connectionOf(sql)
  const run = (statement: Statement.Statement<unknown>) =>
    Effect.withFiberRuntime<ReadonlyArray<unknown>, SqlError.SqlError>((fiber) => {
      const isHeard =
        fiber.getFiberRef(FiberRef.currentTracerEnabled) ||
        Option.isSome(fiber.getFiberRef(Statement.currentTransformer))
      if (isHeard) return statement.withoutTransform
      const [text, values] = statement.compile(true)
      const alone = Effect.flatMap(connection, (_) => _.execute(text, values, undefined))
      const isInTransaction = hasTransaction(fiber.currentContext)
      return isQuick(statement) && !isInTransaction ? share(text, values, alone) : alone
    })
  // One object shared by all statements: most are parts of others and never run.
  const lean = {
    commit(this: Statement.Statement<unknown>) {
      return run(this)
    }
  }
  const make = (...parts: ReadonlyArray<unknown>): unknown => {
    const made: unknown = Reflect.apply(sql, undefined, parts)
    return isStatement(made) ? Object.assign(made, lean) : made
  }
  const unsafe = <A extends object>(text: string, values?: ReadonlyArray<unknown>): Statement.Statement<A> =>
    Object.assign(sql.unsafe<A>(text, values), lean)
  return Object.assign(make, sql, { unsafe })
}
