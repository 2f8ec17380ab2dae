import { Layer } from "effect"
import { PatchedDocx } from "./document/PatchedDocx.ts"
import { PhotoBytes } from "./PhotoBytes.ts"
import { PhotoIntake } from "./PhotoIntake.ts"
import { Photos } from "./Photos.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { ReportExport } from "./ReportExport.ts"
import { Reports } from "./Reports.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { Rooms } from "./Rooms.ts"
import { RoomsRepo } from "./RoomsRepo.ts"
import { RoomVersionsRepo } from "./RoomVersionsRepo.ts"
import { SharpImages } from "./SharpImages.ts"
import { Transform } from "./Transform.ts"
import { TransformRepo } from "./TransformRepo.ts"

export const PlacesRepos = Layer.mergeAll(
  PhotosRepo.layer,
  ReportsRepo.layer,
  RoomsRepo.layer,
  RoomVersionsRepo.layer,
  TransformRepo.layer
)

/** All services for condition reports. */
export const PlacesServices = Layer.mergeAll(
  Reports.layer,
  Rooms.layer,
  Photos.layer.pipe(Layer.provide(PhotoIntake.layer)),
  Transform.layer,
  ReportExport.layer.pipe(Layer.provide(PatchedDocx))
).pipe(Layer.provide(PhotoBytes.layer), Layer.provide(SharpImages))
