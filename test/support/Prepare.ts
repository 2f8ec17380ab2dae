import { Effect, Layer } from "effect"
import { PasswordHasher } from "../../src/auth/PasswordHasher.ts"
import { DemoTools, seedDemoData } from "../../src/demo/DemoData.ts"
import { PostgresBlobStore } from "../../src/files/PostgresBlobStore.ts"
import { migrate } from "../../src/platform/database/Migrate.ts"

const Tools = Layer.merge(DemoTools, PostgresBlobStore).pipe(Layer.provide(PasswordHasher.layer))

/** What every test starts with: the newest migrations and the demo data. */
export const prepare = Effect.zipRight(migrate, seedDemoData.pipe(Effect.provide(Tools)))
