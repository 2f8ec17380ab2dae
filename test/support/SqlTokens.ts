/** A word, a quoted name, a symbol, or a value (text, number, parameter); comments are omitted. */
export interface SqlToken {
  readonly kind: "word" | "name" | "symbol" | "value"
  /** Unquoted words are in lower case. */
  readonly text: string
}

const patterns: ReadonlyArray<readonly [SqlToken["kind"] | "space", RegExp]> = [
  ["space", /\s+|--[^\n]*/y],
  ["value", /(?:e|b|x|u&)?'(?:[^'\\]|''|\\.)*'|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$|\$\d+|\d+(?:\.\d+)?/iy],
  ["name", /"(?:[^"]|"")*"/y],
  ["word", /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy],
  ["symbol", /::|<>|!=|<=|>=|=>|->>|->|\|\||[^\s\w]/y]
]

/** Comments nest in PostgreSQL. */
const endOfComment = (sql: string, start: number) => {
  let depth = 0
  for (let at = start; at < sql.length; at += 1) {
    if (sql.startsWith("/*", at)) {
      depth += 1
      at += 1
    } else if (sql.startsWith("*/", at)) {
      depth -= 1
      at += 1
      if (depth === 0) return at + 1
    }
  }
  return sql.length
}

const nextToken = (sql: string, at: number) => {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const match = pattern.exec(sql)
    if (match !== null) return { kind, text: match[0] }
  }
  return { kind: "space", text: sql.charAt(at) } as const
}

const unquote = (text: string) => text.slice(1, -1).replaceAll('""', '"')

export const sqlTokens = (sql: string): { readonly tokens: ReadonlyArray<SqlToken>; readonly comments: string } => {
  const tokens: Array<SqlToken> = []
  let comments = ""
  for (let at = 0; at < sql.length; ) {
    if (sql.startsWith("/*", at)) {
      const end = endOfComment(sql, at)
      comments += sql.slice(at, end)
      at = end
      continue
    }
    const { kind, text } = nextToken(sql, at)
    if (kind === "name") tokens.push({ kind, text: unquote(text) })
    else if (kind === "word") tokens.push({ kind, text: text.toLowerCase() })
    else if (kind !== "space") tokens.push({ kind, text })
    at += text.length
  }
  return { tokens, comments }
}
