import { readdirSync, readFileSync, statSync } from "node:fs"
import { buildPages } from "./esbuild.pages.mjs"

// The compiler lives for two seconds: a fifth of them went into tidying up its memory.
process.env.GOGC ??= "off"

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

// Without arguments, the service; with arguments, those files instead.
const given = process.argv.slice(2)
const entryPoints = given.length > 0 ? given : ["src/main.ts", "src/admin/main.ts"]
const [first] = entryPoints.map((path) => `dist/${path.replace(/\.ts$/, ".js")}`)

const newest = ["src", "schema", "migrations"]
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
  .concat("package-lock.json", "esbuild.config.mjs")
  .reduce((latest, path) => Math.max(latest, changedAt(path)), 0)

const pages = given.length > 0 ? undefined : buildPages()

/** Two pages of documentation hold megabytes: whoever names them loads them, not everybody who takes anything from the package. */
const withoutPages = {
  name: "without pages",
  setup: ({ onLoad }) =>
    onLoad({ filter: /@effect.platform.dist.esm.index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/^export \* as HttpApi(?:Scalar|Swagger) .*$/gm, "")
    }))
}

// A few files start in a third of the time that a thousand modules take. Outside stay native code, WASM and what is
// loaded only when it is needed.
if (given.length > 0 || changedAt(first) <= newest) {
  const { build } = await import("esbuild")
  await build({
    entryPoints,
    outbase: ".",
    outdir: "dist",
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
    plugins: [withoutPages],
    external: [
      "@aws-sdk/*",
      "@electric-sql/*",
      "@node-rs/*",
      "@parcel/*",
      "fastify",
      "msgpackr",
      "playwright-core",
      "sharp"
    ],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
  })
}

await pages
