import { Layer } from "effect"
import { EraseJob } from "./EraseJob.ts"
import { Erasing } from "./Erasing.ts"
import { ExportFile } from "./ExportFile.ts"
import { ExportJob } from "./ExportJob.ts"
import { LooseRowsOf } from "./LooseRows.ts"
import { LooseRuns } from "./LooseRuns.ts"
import { PersonsRepo } from "./PersonsRepo.ts"

/** The jobs that carry out the requests. */
export const DataRightsWork = Layer.merge(EraseJob, ExportJob).pipe(
  Layer.provide(Layer.mergeAll(Erasing.layer, ExportFile.layer, LooseRowsOf.layer, LooseRuns.layer, PersonsRepo.layer))
)
