import { setFlagsFromString } from "node:v8"
import { Layer } from "effect"
import { AppLive } from "./App.ts"
import { PasswordHasher } from "./auth/PasswordHasher.ts"
import { Banner } from "./Banner.ts"
import { DemoData } from "./demo/DemoData.ts"
import { BlobStoreLive } from "./files/BlobStoreLive.ts"
import type { KnownError } from "./KnownError.ts"
import { launch } from "./Launch.ts"
import { DatabaseLive } from "./platform/database/Database.ts"
import { migrated } from "./platform/database/Migrate.ts"
import { withItsKey } from "./platform/secrets/SecretsSeal.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { MailerLive } from "./platform/systemMail/Mailer.ts"
import { TelemetryLive } from "./platform/telemetry/Telemetry.ts"
import { runMain } from "./RunMain.ts"
import { ServerLive } from "./Server.ts"

/** The whole layer graph. The annotation makes a missing layer a compile error here. */
const Main: Layer.Layer<never, KnownError> = Banner.pipe(
  Layer.provide(ServerLive),
  Layer.provide(AppLive),
  Layer.provide(DemoData),
  Layer.provide(MailerLive),
  Layer.provide(BlobStoreLive),
  Layer.provide(PasswordHasher.layer),
  Layer.provide(withItsKey(migrated(DatabaseLive))),
  Layer.provide(TelemetryLive),
  Layer.provide(Settings.layer)
)

// On a large machine V8 lets the heap grow to four times the live data before it collects; less than twice is enough.
setFlagsFromString("--heap-growing-percent=75")

// A node started by `npm run cluster` ends with it.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

runMain(launch(Main))
