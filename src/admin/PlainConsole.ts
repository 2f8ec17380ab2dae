import { stripVTControlCharacters } from "node:util"
import { Console, Context, Effect } from "effect"

const isWanted = () => (process.env["NO_COLOR"] ?? "") === ""

/** Where escape codes are understood: at a terminal, unless NO_COLOR asks for none. */
export class Coloured extends Context.Reference<Coloured>()("casework/Coloured", {
  defaultValue: () => ({
    output: isWanted() && process.stdout.isTTY,
    errors: isWanted() && process.stderr.isTTY
  })
}) {}

const written = (words: ReadonlyArray<unknown>, isColoured: boolean) => {
  const text = words.join(" ").trimEnd()
  return isColoured ? text : stripVTControlCharacters(text)
}

/** What is printed ends with its last line, and a file or another program gets the words alone. */
export const printedPlainly = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Coloured, (coloured) =>
    Console.consoleWith((usual) =>
      Console.withConsole(effect, {
        ...usual,
        log: (...words) => usual.log(written(words, coloured.output)),
        error: (...words) => usual.error(written(words, coloured.errors))
      })
    )
  )
