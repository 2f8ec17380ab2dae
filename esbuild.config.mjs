import { readFileSync } from "node:fs"
import { buildOnce, buildPages } from "./esbuild.pages.mjs"

// The compiler lives for two seconds: a fifth of them went into tidying up its memory.
process.env.GOGC ??= "off"

// Without arguments, the service; with arguments, those files instead.
const given = process.argv.slice(2)
const entryPoints = given.length > 0 ? given : ["src/main.ts", "src/admin/main.ts"]

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
const bundle = async () => {
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

await (given.length > 0 ? bundle() : buildOnce("dist/src/main.js", ["src", "schema", "migrations"], bundle))
await pages
