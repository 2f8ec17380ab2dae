import { execFile } from "node:child_process"
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { endpoints } from "../support/Endpoints.ts"
import { textIn } from "../support/Fields.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { baseUrl, quietApp } from "../support/TestApp.ts"

const run = promisify(execFile)

const decodePacked = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Tuple(
      Schema.Struct({ filename: Schema.String, files: Schema.Array(Schema.Struct({ path: Schema.String })) })
    )
  )
)

const decodeDescription = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ peerDependencies: Schema.Record({ key: Schema.String, value: Schema.String }) })),
  { onExcessProperty: "preserve" }
)

const decodeOutcome = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ functions: Schema.Array(Schema.String), failure: Schema.Unknown }))
)

/** A folder in which the built and packed package is installed. */
class Customer extends Context.Tag("test/Customer")<
  Customer,
  { readonly folder: string; readonly files: ReadonlyArray<string>; readonly read: (file: string) => Promise<string> }
>() {
  static readonly layer = Layer.scoped(
    Customer,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      return yield* Effect.promise(async () => {
        await run("npm", ["run", "--silent", "client:build"])
        const { stdout } = await run("npm", ["pack", "--json", "--silent", resolve("dist/client")], { cwd: folder })
        const [{ filename, files }] = decodePacked(stdout)
        const home = join(folder, "node_modules", "casework-client")
        await mkdir(home, { recursive: true })
        await run("tar", ["-xzf", filename, "--strip-components=1", "-C", home], { cwd: folder })
        for (const name of ["effect", "@effect"])
          await symlink(resolve("node_modules", name), join(folder, "node_modules", name))
        await writeFile(join(folder, "package.json"), '{"type":"module"}')
        await cp(join(home, "examples"), folder, { recursive: true })
        return {
          folder,
          files: files.map(({ path }) => path),
          read: (file: string) => readFile(join(home, file), "utf8")
        }
      })
    })
  )
}

const compiler = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    lib: ["es2023", "dom"],
    types: ["node"],
    typeRoots: [resolve("node_modules/@types")]
  },
  include: ["*.ts"]
}

/** Prints the functions that the installed package offers, and the error that a call rejects with. */
const listsFunctions = `
  import { makeCaseworkPromiseClient } from "casework-client/promise"
  const client = makeCaseworkPromiseClient({ baseUrl: process.env.CASEWORK_URL, token: () => "wrong" })
  const functions = Object.entries(client).flatMap(([group, routes]) =>
    Object.entries(routes).flatMap(([name, route]) => (typeof route === "function" ? [group + "." + name] : []))
  )
  const { name, status, requestId } = await client.actions
    .listActions({ urlParams: { pageSize: 0 } })
    .catch((error) => error)
  console.log(JSON.stringify({ functions, failure: { name, status, requestId } }))
`

layer(quietApp().pipe(Layer.merge(Customer.layer)), { excludeTestServices: true, timeout: 600_000 })(
  "The client's package",
  (it) => {
    it.effect("contains the contract and nothing of the server", () =>
      Effect.gen(function* () {
        const { files, read } = yield* Customer
        const modules = (yield* Effect.promise(() => readdir("schema"))).map((file) => file.replace(/\.ts$/, ""))
        const expected = modules.flatMap((module) => [`${module}.js`, `${module}.d.ts`])
        const others = ["README.md", "examples/WithEffect.ts", "examples/WithPromises.ts", "package.json"]
        expect([...files].sort()).toEqual([...expected, ...others].sort())
        for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
          const text = yield* Effect.promise(() => read(file))
          const imports = [...text.matchAll(/^(?:import|export)\s[^;"]*?from\s"([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
            ([, from, named]) => from ?? named
          )
          expect(
            imports.filter((from) => !/^(effect|@effect\/platform)(\/\w+)?$|^\.\/\w+\.js$/.test(from ?? "")),
            file
          ).toEqual([])
        }
        const description = decodeDescription(yield* Effect.promise(() => read("package.json")))
        expect(description).toMatchObject({ name: "casework-client", version: packageJson.version, type: "module" })
        expect(Object.keys(description.peerDependencies)).toEqual(["@effect/platform", "effect"])
        // Without version ranges npm would install the newest versions.
        const [, line = ""] = /^ {4}npm install (.*)$/m.exec(yield* Effect.promise(() => read("README.md"))) ?? []
        const peers = Object.entries(description.peerDependencies).map(([name, range]) => `${name}@${range}`)
        expect(line.split(" ")).toEqual(["casework-client", ...peers])
      })
    )

    it.effect("type-checks and runs in both of its examples", () =>
      Effect.gen(function* () {
        const { folder } = yield* Customer
        const CASEWORK_URL = yield* baseUrl
        const env = {
          ...process.env,
          CASEWORK_URL,
          CASEWORK_USERNAME: "acme-admin",
          CASEWORK_PASSWORD: "Demo-Pass-1"
        }
        yield* Effect.promise(async () => {
          await writeFile(join(folder, "tsconfig.json"), JSON.stringify(compiler))
          await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."], { cwd: folder }).catch(
            (failure: unknown) => expect.fail(textIn(failure, "stdout"))
          )
        })
        for (const example of ["WithEffect", "WithPromises"]) {
          const { stdout } = yield* Effect.promise(() => run(process.execPath, [`${example}.js`], { cwd: folder, env }))
          expect(stdout, example).toMatch(/^Ticket (\d+) is Open\.\nThere is no ticket \1\.\n$/)
        }
      })
    )

    it.effect("has a function for every route, and rejects with the status and request id of a refusal", () =>
      Effect.gen(function* () {
        const { folder } = yield* Customer
        const CASEWORK_URL = yield* baseUrl
        yield* Effect.promise(() => writeFile(join(folder, "Functions.js"), listsFunctions))
        // A process of its own: Node follows no symlinks here once it has looked at a pipe, as other tests do.
        const { stdout } = yield* Effect.promise(() =>
          run(process.execPath, ["Functions.js"], { cwd: folder, env: { ...process.env, CASEWORK_URL } })
        )
        const { functions, failure } = decodeOutcome(stdout)
        expect(endpoints.map(({ id }) => id).filter((id) => !functions.includes(id))).toEqual([])
        expect(failure).toMatchObject({ name: "CaseworkError", status: 401, requestId: expect.any(String) })
      })
    )
  }
)
