import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Documents } from "./Documents.ts"

export const DocumentsHttp = HttpApiBuilder.group(CaseworkApi, "documents", (handlers) =>
  Effect.gen(function* () {
    const documents = yield* Documents
    return handlers
      .handle("listDocuments", ({ urlParams }) => documents.list(urlParams))
      .handle("getDocument", ({ path, urlParams }) => documents.get(path.id, urlParams))
      .handle("createDocument", ({ payload }) => documents.create(payload))
      .handle("updateDocument", ({ path, payload }) => documents.update(path.id, payload))
      .handle("deleteDocument", ({ path }) => documents.delete(path.id))
      .handle("retrieveDocument", ({ path, payload }) => documents.retrieve(path.id, payload))
  })
)
