import { type SqlToken, sqlTokens } from "./SqlTokens.ts"

type Clause = "columns" | "from" | "condition" | "using" | "into" | "other"

/** A table and the name by which its part of the statement refers to it. */
export interface TableMention {
  readonly table: string
  readonly alias: string
}

/** One select, insert, update or delete; parts in parentheses and parts of a union are blocks of their own. */
export interface SqlBlock {
  readonly tables: Array<TableMention>
  /**
   * Conditions on customer_id: the alias it belongs to (none if unqualified), and the alias it is compared with, if
   * any.
   */
  readonly conditions: Array<{ readonly alias: string | undefined; readonly other: string | undefined }>
  /** An insert that fills customer_id. */
  insertsCustomer: boolean
  joinsByCustomer: boolean
}

const notAnAlias = new Set(
  `where set on join left right full inner outer cross natural order group having limit offset fetch values select
   returning for using union intersect except window default overriding tablesample with lateral as do nothing`.split(
    /\s+/
  )
)

const clauseOf: Readonly<Record<string, Clause>> = {
  from: "from",
  join: "from",
  update: "from",
  truncate: "from",
  into: "into",
  where: "condition",
  on: "condition",
  having: "condition",
  select: "columns",
  returning: "columns",
  set: "other",
  values: "other",
  order: "other",
  group: "other",
  limit: "other",
  offset: "other",
  window: "other"
}

const never = new Set(["<>", "!=", "<", ">", "<=", ">="])

/** Parses a statement into its blocks. */
export const sqlBlocks = (sql: string) => {
  const { comments, tokens } = sqlTokens(sql)
  const blocks: Array<SqlBlock> = []
  const at = (index: number): SqlToken => tokens[index] ?? { kind: "symbol", text: "" }
  const isWord = (index: number, ...words: ReadonlyArray<string>) =>
    at(index).kind === "word" && words.includes(at(index).text)
  const isName = (index: number) => at(index).kind === "name" || at(index).kind === "word"

  const newBlock = (): SqlBlock => {
    const block = { tables: [], conditions: [], insertsCustomer: false, joinsByCustomer: false }
    blocks.push(block)
    return block
  }

  /** The table at an index and the index after it; no table for a subquery or a function. */
  const mention = (start: number): { readonly found?: TableMention; readonly next: number } => {
    let index = start
    while (isWord(index, "only", "lateral", "table")) index += 1
    if (!isName(index)) return { next: index }
    const qualified = at(index + 1).text === "." && isName(index + 2)
    const schema = qualified ? at(index).text : "public"
    const table = at(qualified ? index + 2 : index).text
    index += qualified ? 3 : 1
    if (at(index).text === "*") index += 1
    const explicit = isWord(index, "as")
    if (explicit) index += 1
    const named = isName(index) && (explicit || at(index).kind === "name" || !notAnAlias.has(at(index).text))
    const alias = named ? at(index).text : table
    if (named) index += 1
    return schema === "public" ? { found: { table, alias }, next: index } : { next: index }
  }

  /** The condition formed by a customer_id; undefined when it does not restrict the statement to one customer. */
  const condition = (index: number) => {
    const alias = at(index - 1).text === "." ? at(index - 2).text : undefined
    const before = alias === undefined ? index - 1 : index - 3
    let after = index + 1
    while (at(after).text === "::") after += 2
    if (isWord(after, "is") && !isWord(after + 1, "distinct") && !isWord(after + 2, "distinct")) return undefined
    if (never.has(at(after).text) || never.has(at(before).text) || isWord(after, "not")) return undefined
    const right =
      at(after).text === "=" && isName(after + 1) && at(after + 2).text === "." ? at(after + 1).text : undefined
    const left = at(before).text === "=" && at(before - 2).text === "." ? at(before - 3).text : undefined
    return { alias, other: right ?? left }
  }

  /** Reads from an index to the end of its parentheses; returns the index of the closing one. */
  const read = (start: number, outer: SqlBlock | undefined, outerClause: Clause): number => {
    const ownBlock = outer === undefined || isWord(start, "select", "with", "insert", "update", "delete")
    let block = ownBlock ? newBlock() : outer
    let clause: Clause = ownBlock ? "other" : outerClause
    const inFunction = !ownBlock
    let index = start
    let deleting = false
    const take = (from: number) => {
      const { found, next } = mention(from)
      if (found !== undefined) block.tables.push(found)
      return Math.max(next, from)
    }
    while (index < tokens.length && at(index).text !== ")") {
      const { kind, text } = at(index)
      if (kind === "symbol" && text === "(") {
        index = read(index + 1, block, clause) + 1
      } else if (kind === "symbol" && text === ";") {
        block = newBlock()
        clause = "other"
        index += 1
      } else if (kind === "symbol" && text === "," && clause === "from" && !inFunction) {
        index = take(index + 1)
      } else if (kind === "word" && !inFunction && isWord(index, "union", "intersect", "except")) {
        block = newBlock()
        clause = "other"
        index += 1
      } else if (kind === "word" && text === "delete") {
        deleting = true
        index += 1
      } else if (text === "using" && kind === "word" && !inFunction) {
        if (at(index + 1).text === "(") {
          const end = tokens.findIndex((token, position) => position > index && token.text === ")")
          if (tokens.slice(index, end).some((token) => token.text === "customer_id")) block.joinsByCustomer = true
          index = end + 1
        } else {
          clause = "from"
          index = deleting || isName(index + 1) ? take(index + 1) : index + 1
        }
      } else if (kind === "word" && text === "on" && isWord(index + 1, "conflict")) {
        clause = "other"
        index += 2
      } else if (kind === "word" && text in clauseOf && !isRowLock(index) && !(inFunction && text === "from")) {
        clause = clauseOf[text] ?? "other"
        const isDistinctFrom = text === "from" && isWord(index - 1, "distinct")
        if (clause === "into") index = readInsert(index + 1, block)
        else if (clause === "from" && !isDistinctFrom && at(index + 1).text !== "(") index = take(index + 1)
        else index += 1
        if (isDistinctFrom) clause = "condition"
      } else {
        if (text === "customer_id" && clause === "condition") {
          const found = condition(index)
          if (found !== undefined) block.conditions.push(found)
        }
        index += 1
      }
    }
    return index
  }

  /** `for update` and `do update` name no table. */
  const isRowLock = (index: number) => isWord(index, "update") && isWord(index - 1, "for", "key", "do")

  const readInsert = (start: number, block: SqlBlock) => {
    const { found, next } = mention(start)
    if (found !== undefined) block.tables.push(found)
    if (at(next).text !== "(") return next
    const end = tokens.findIndex((token, position) => position > next && token.text === ")")
    if (tokens.slice(next, end).some((token) => token.text === "customer_id")) block.insertsCustomer = true
    return end + 1
  }

  for (let index = 0; index < tokens.length; index += 1) index = read(index, undefined, "other")
  return { blocks, comments, firstWord: at(0).text }
}
