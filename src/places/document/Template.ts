import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { InternalServerError } from "../../../schema/Errors.ts"
import { projectFile } from "../../platform/ProjectFile.ts"

export const templateFile = join("src", "places", "document", "condition-report.docx")

const missing = new InternalServerError({
  message: "The template of the DOCX export is missing on the server. Ask the operator to check DOCX_TEMPLATE."
})

/** Reads the template on each export, so that a new one needs no restart. */
export const readTemplate = (named: Option.Option<string>): Effect.Effect<Buffer, InternalServerError> =>
  Effect.suspend(() => {
    const path = Option.getOrElse(named, () => projectFile(templateFile))
    return Effect.tryPromise(() => readFile(path)).pipe(
      Effect.tapErrorCause((cause) => Effect.logError("the DOCX template cannot be read", cause)),
      Effect.mapError(() => missing)
    )
  })
