import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { answerFile } from "../files/FileAnswer.ts"
import { Files } from "./Files.ts"

export const FilesHttp = HttpApiBuilder.group(CaseworkApi, "files", (handlers) =>
  Effect.map(Files, (files) =>
    handlers.handle("getFile", ({ headers, path, request }) =>
      Effect.flatMap(files.open(path.accessToken), (file) => answerFile(file, headers, request))
    )
  )
)
