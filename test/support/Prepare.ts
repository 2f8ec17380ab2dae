import { Effect, Layer } from "effect"
import { ActionsRepo } from "../../src/actions/ActionsRepo.ts"
import { Provisioning } from "../../src/admin/Provisioning.ts"
import { PasswordHasher } from "../../src/auth/PasswordHasher.ts"
import { seedDemoData } from "../../src/demo/DemoData.ts"
import { migrate } from "../../src/platform/Migrate.ts"

const Tools = Layer.mergeAll(Provisioning.layer, ActionsRepo.layer).pipe(Layer.provide(PasswordHasher.layer))

/** What every test finds: the newest migrations and the demo data. */
export const prepare = Effect.zipRight(migrate, seedDemoData.pipe(Effect.provide(Tools)))
