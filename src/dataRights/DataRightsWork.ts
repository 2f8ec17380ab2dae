import { Layer } from "effect"
import { EraseJob } from "./EraseJob.ts"
import { Erasing } from "./Erasing.ts"
import { ExportFile } from "./ExportFile.ts"
import { ExportJob } from "./ExportJob.ts"
import { PersonsRepo } from "./PersonsRepo.ts"
import { UnkeyedRows } from "./UnkeyedRows.ts"
import { UnkeyedRunsRepo } from "./UnkeyedRunsRepo.ts"

/** The jobs that carry out the requests. */
export const DataRightsWork = Layer.merge(EraseJob, ExportJob).pipe(
  Layer.provide(
    Layer.mergeAll(Erasing.layer, ExportFile.layer, UnkeyedRows.layer, UnkeyedRunsRepo.layer, PersonsRepo.layer)
  )
)
