import { chmod, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import JSZip from "jszip"
import { ErasureTiming } from "../../src/dataRights/EraseJob.ts"
import { admin, adminWith } from "../admin/RunAdmin.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"

const soon = Layer.succeed(ErasureTiming, { secondLookAfterSeconds: 0 })

// This node runs no jobs: the command itself does the work.
layer(quietApp({ ROLE: "web" }), { excludeTestServices: true })("The commands for end users", (it) => {
  it.effect("export and erase, and say what they did", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({
        payload: { FirstName: "Ola", LastName: "Nordmann", Email: "ola@people.example" }
      })
      const file = join(yield* temporaryFolder, "ola.zip")
      const written = yield* admin("end-user", "export", "acme rentals", String(id), "--file", file)
      expect(written).toMatchObject({ succeeded: true })
      expect(written.output).toMatch(/ola\.zip\nSHA-256 [0-9a-f]{64}\n.*EndUsers 1/)
      expect(written.errors).toEqual(["Exporting; this may take a minute or two."])
      yield* Effect.promise(() => chmod(file, 0o644))
      const oncemore = yield* admin("end-user", "export", "acme rentals", String(id), "--file", file)
      expect((yield* Effect.promise(() => stat(file))).mode & 0o777).toBe(0o600)
      expect(oncemore.output).toBe(written.output)
      expect(oncemore.errors.join()).toMatch(
        /^This export was created at 20\S+Z\. A new one can be created after it expires, at 20\S+Z\.$/
      )
      const zip = yield* Effect.promise(async () => JSZip.loadAsync(await readFile(file)))
      expect(yield* Effect.promise(async () => zip.file("EndUsers.json")?.async("text"))).toContain(
        "ola@people.example"
      )

      const gone = yield* admin("end-user", "erase", "Acme Rentals", String(id))
      expect(gone).toMatchObject({ succeeded: true })
      expect(gone.output).toContain('"Status": "Succeeded"')
      expect(gone.output).not.toContain("Nordmann")
      expect(yield* Effect.flip(endUsers.getEndUser({ path: { id } }))).toMatchObject({ status: 404 })
      const again = yield* admin("end-user", "erase", "Acme Rentals", String(id))
      expect(again.output).toBe(gone.output)
    }).pipe(Effect.provide(soon), Effect.scoped)
  )

  it.effect("erase at a terminal only after a confirmation", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Kari", LastName: "Nordmann" } })
      const words = ["end-user", "erase", "acme rentals", String(id)]
      for (const typed of ["n", ""]) {
        const refused = yield* adminWith({ typed }, ...words)
        expect(refused).toMatchObject({ succeeded: false, output: "", errors: ["Nothing was changed."] })
      }
      expect((yield* endUsers.getEndUser({ path: { id } })).FirstName).toBe("Kari")
      const erased = yield* adminWith({ typed: "y" }, ...words)
      expect(erased).toMatchObject({ succeeded: true, output: expect.stringContaining('"Status": "Succeeded"') })
      expect(yield* adminWith({ typed: "n" }, ...words, "--yes")).toMatchObject({ succeeded: true })
    }).pipe(Effect.provide(soon))
  )

  it.effect("refuse an end user who is not the customer's", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Not", LastName: "Theirs" } })
      for (const command of ["export", "erase"]) {
        for (const [customer, endUser] of [
          ["Globex Support", String(id)],
          ["Acme Rentals", "0"]
        ] as const) {
          const { errors, succeeded } = yield* admin("end-user", command, customer, endUser)
          expect({ errors, succeeded }).toEqual({
            succeeded: false,
            errors: [`The customer has no end user ${endUser}.`]
          })
        }
      }
      expect((yield* endUsers.getEndUser({ path: { id } })).FirstName).toBe("Not")
    })
  )
})
