import { Effect, Layer } from "effect"
import { ActionsRepo } from "../../src/actions/ActionsRepo.ts"
import { Provisioning } from "../../src/admin/Provisioning.ts"
import { PasswordHasher } from "../../src/auth/PasswordHasher.ts"
import { CustomerProfileRepo } from "../../src/customers/CustomerProfileRepo.ts"
import { seedDemoData } from "../../src/demo/DemoData.ts"
import { TopicsDemoRepos } from "../../src/demo/TopicsDemo.ts"
import { DocumentsRepo } from "../../src/documents/DocumentsRepo.ts"
import { migrate } from "../../src/platform/Migrate.ts"
import { RepresentativesRepo } from "../../src/representatives/RepresentativesRepo.ts"
import { SignaturesRepo } from "../../src/representatives/SignaturesRepo.ts"

const Tools = Layer.mergeAll(
  Provisioning.layer,
  ActionsRepo.layer,
  CustomerProfileRepo.layer,
  DocumentsRepo.layer,
  RepresentativesRepo.layer,
  SignaturesRepo.layer,
  TopicsDemoRepos
).pipe(Layer.provide(PasswordHasher.layer))

/** What every test finds: the newest migrations and the demo data. */
export const prepare = Effect.zipRight(migrate, seedDemoData.pipe(Effect.provide(Tools)))
