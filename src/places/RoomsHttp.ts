import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Rooms } from "./Rooms.ts"
import { Transform } from "./Transform.ts"

export const RoomsHttp = HttpApiBuilder.group(CaseworkApi, "placeDescriptionRooms", (handlers) =>
  Effect.gen(function* () {
    const rooms = yield* Rooms
    const transform = yield* Transform
    return handlers
      .handle("listPlaceDescriptionRooms", ({ path }) => rooms.list(path.reportId))
      .handle("createPlaceDescriptionRoom", ({ path, payload }) => rooms.create(path.reportId, payload))
      .handle("getPlaceDescriptionRoom", ({ path }) => rooms.get(path.roomId))
      .handle("updatePlaceDescriptionRoom", ({ path, payload }) => rooms.update(path.roomId, payload))
      .handle("deletePlaceDescriptionRoom", ({ path }) => rooms.delete(path.roomId))
      .handle("transformPlaceDescriptionRoom", ({ path, payload }) => transform.run(path.roomId, payload))
      .handle("listPlaceDescriptionRoomVersions", ({ path }) => rooms.versions(path.roomId))
      .handle("restorePlaceDescriptionRoomVersion", ({ path }) => rooms.restore(path.roomId, path.versionId))
  })
)
