import { stripVTControlCharacters } from "node:util"
import { Console, Context, Effect } from "effect"

const isWanted = () => (process.env["NO_COLOR"] ?? "") === ""

/** Whether each stream takes escape codes: at a terminal, unless NO_COLOR is set. */
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

/** Trims trailing white space, and drops escape codes when the output goes to a file or another program. */
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
