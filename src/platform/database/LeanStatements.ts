import { SqlClient, type SqlConnection, type SqlError, Statement } from "@effect/sql"
import { Effect, FiberRef, Option } from "effect"

type Connected = Effect.Effect<SqlConnection.Connection, SqlError.SqlError>

/** Both databases give a statement its connection without a scope: nothing has to be given back. */
const isConnected = (value: unknown): value is Connected => Effect.isEffect(value)

/** Where statements get their connection from: that of the transaction around them, or one of the pool's. */
const connectionOf = (sql: SqlClient.SqlClient): Connected => {
  const statement: object = sql`select 1`
  // Not in the library's types: should it go, the service says so at its start.
  if ("acquirer" in statement && isConnected(statement.acquirer)) return statement.acquirer
  throw new Error("A statement of @effect/sql no longer says where it gets its connection from")
}

const isStatement = (made: unknown): made is Statement.Statement<unknown> =>
  Statement.isFragment(made) && Effect.isEffect(made)

export type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Runs a statement together with others, or else by `elsewhere`. */
export type Share = (text: string, values: ReadonlyArray<unknown>, elsewhere: Rows) => Rows

const mark = { isQuick: true }

/** Says of a statement that it changes nothing, and that an index answers it from few rows whatever the database holds. */
export const quick = <A>(statement: Statement.Statement<A>): Statement.Statement<A> => Object.assign(statement, mark)

const isQuick = (statement: object) => "isQuick" in statement

/**
 * The same client, whose statements go straight to their connection while nobody listens. The library opens a scope and a
 * span for each, which takes longer than all else that the service does for a quick query.
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
      const isInTransaction = fiber.currentContext.unsafeMap.has(SqlClient.TransactionConnection.key)
      return isQuick(statement) && !isInTransaction ? share(text, values, alone) : alone
    })
  // One for all statements: most are parts of others and never run.
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
