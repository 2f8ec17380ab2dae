import { PlaceDescriptionRoom } from "../../schema/PlaceDescriptionRooms.ts"
import type { StoredPhoto } from "./PhotosRepo.ts"
import type { StoredRoom } from "./RoomsRepo.ts"

/** Rooms as callers see them: each with its own photos, both in the given order. */
export const withPhotos = (
  rooms: ReadonlyArray<StoredRoom>,
  photos: ReadonlyArray<StoredPhoto>
): ReadonlyArray<PlaceDescriptionRoom> =>
  rooms.map(
    (room) =>
      new PlaceDescriptionRoom({
        ...room,
        photos: photos.filter((photo) => photo.placeDescriptionRoomID === room.placeDescriptionRoomID)
      })
  )
