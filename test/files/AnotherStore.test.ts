import { expect, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { inOneLine } from "../../src/KnownError.ts"
import { adminWith } from "../admin/RunAdmin.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { send } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const startWith = (settings: Readonly<Record<string, string>>) =>
  Effect.map(Effect.exit(onAnotherNode(settings)(send("GET", "/health/ready"))), (exit) => {
    if (Exit.isFailure(exit)) return inOneLine(exit.cause)
    return exit.value.status === 200 ? "ready" : exit.value.text
  })

const refusal =
  "Settings: BLOB_STORE: The files of this database are in postgres, not in folder. Restore the old setting, or copy"

layer(TestDatabase, { excludeTestServices: true })("A start with another BLOB_STORE", (it) => {
  it.scoped("is refused while there are files, until the operator says that they have been moved", () =>
    Effect.gen(function* () {
      const folder = { BLOB_STORE: "folder", DATA_DIR: yield* temporaryFolder }
      expect(yield* startWith({ BLOB_STORE: "postgres" })).toBe("ready")
      expect(yield* startWith(folder)).toContain(refusal)
      const removal = yield* adminWith({ settings: folder }, "customer", "remove", "Globex Support", "--yes")
      expect(removal.errors.join()).toContain(refusal)
      expect((yield* adminWith({ settings: folder }, "files", "moved")).output).toContain("expected in folder")
      expect(yield* startWith(folder)).toBe("ready")
      expect(yield* startWith({ ...folder, DATA_DIR: yield* temporaryFolder })).toBe("ready")
      expect(yield* startWith({ BLOB_STORE: "postgres" })).toContain("are in folder, not in postgres")
    })
  )
})
