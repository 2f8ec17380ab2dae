import { HttpApiBuilder } from "@effect/platform"
import { Layer } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { Actions } from "./actions/Actions.ts"
import { ActionsHttp } from "./actions/ActionsHttp.ts"
import { ActionsRepo } from "./actions/ActionsRepo.ts"
import { AuditLog } from "./auth/AuditLog.ts"
import { Auth } from "./auth/Auth.ts"
import { AuthHttp } from "./auth/AuthHttp.ts"
import { AuthRepo } from "./auth/AuthRepo.ts"
import { PasswordHasher } from "./auth/PasswordHasher.ts"
import { PasswordResetJob } from "./auth/PasswordReset.ts"
import { PoliciesLive } from "./auth/Policies.ts"
import { Revocations } from "./auth/Revocations.ts"
import { Throttle } from "./auth/Throttle.ts"
import { Tokens } from "./auth/Tokens.ts"
import { HealthHttp } from "./health/HealthHttp.ts"
import { Housekeeping } from "./platform/Housekeeping.ts"
import { Jobs } from "./platform/Jobs.ts"
import { Outbox } from "./platform/Outbox.ts"
import { Secrets } from "./platform/Secrets.ts"

const Repos = Layer.mergeAll(ActionsRepo.layer, AuthRepo.layer)

const Platform = Layer.mergeAll(
  AuditLog.layer,
  Jobs.layer,
  Outbox.layer.pipe(Layer.provideMerge(Secrets.layer)),
  PasswordHasher.layer,
  Throttle.layer,
  Tokens.layer.pipe(Layer.provideMerge(Revocations.layer))
)

const Services = Layer.mergeAll(Actions.layer, Auth.layer)

const Groups = Layer.mergeAll(ActionsHttp, AuthHttp, HealthHttp)

const Background = Layer.mergeAll(PasswordResetJob, Housekeeping)

/** All features. What is left open are the ports: Settings, the database and the Mailer. */
export const AppLive = HttpApiBuilder.api(CaseworkApi).pipe(
  Layer.provide(Groups),
  Layer.provide(PoliciesLive),
  Layer.provide(Services),
  Layer.merge(Background),
  Layer.provideMerge(Layer.mergeAll(Repos, Platform))
)
