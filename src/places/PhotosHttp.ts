import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { answerFile } from "../files/FileAnswer.ts"
import { Photos } from "./Photos.ts"

export const PhotosHttp = HttpApiBuilder.group(CaseworkApi, "placeDescriptionPhotos", (handlers) =>
  Effect.gen(function* () {
    const photos = yield* Photos
    return handlers
      .handle("listPlaceDescriptionPhotos", ({ path }) => photos.list(path.roomId))
      .handle("uploadPlaceDescriptionPhotos", ({ path, payload }) => photos.upload(path.roomId, payload))
      .handle("reorderPlaceDescriptionPhotos", ({ path, payload }) => photos.reorder(path.roomId, payload))
      .handle("deletePlaceDescriptionPhoto", ({ path }) => photos.delete(path.photoId))
      .handle("downloadPlaceDescriptionPhoto", ({ headers, path, request }) =>
        Effect.flatMap(photos.download(path.accessToken), (photo) => answerFile(photo, headers, request))
      )
  })
)
