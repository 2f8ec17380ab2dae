import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"

/**
 * Builds unless what is there was built from just these files. Whether they are newer says nothing: an older version
 * that is put back, or a copy that keeps its dates, would go on running what was built before.
 */
export const buildOnce = async (target, folders, build) => {
  const sources = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
    .concat("package.json", "package-lock.json", "esbuild.config.mjs", "esbuild.pages.mjs")
    .map((path) => {
      const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return `${path} ${size} ${mtimeMs}`
    })
    .join("\n")
  const note = `${target}.built-from`
  if (existsSync(target) && existsSync(note) && readFileSync(note, "utf8") === sources) return
  await build()
  writeFileSync(note, sources)
}

const shared = {
  outdir: "dist/pages",
  bundle: true,
  minify: true,
  platform: "browser",
  target: "es2022",
  format: "iife",
  charset: "utf8",
  logLevel: "warning",
  loader: { ".html": "copy" }
}

/** What browsers get: the chat window as one file, the pages as a file of each kind. */
export const buildPages = () => buildOnce("dist/pages/desk.js", ["src/pages", "schema"], bundlePages)

const bundlePages = async () => {
  const { build } = await import("esbuild")
  await Promise.all([
    build({
      ...shared,
      entryPoints: { widget: "src/pages/widget/main.ts" },
      loader: { ".css": "text" },
      // The style sheet travels inside the script; the plugin makes it as small as the script is.
      plugins: [smallStyles(build)]
    }),
    build({
      ...shared,
      entryPoints: [
        { in: "src/pages/demo/demo.html", out: "demo" },
        { in: "src/pages/demo/demo.css", out: "demo" },
        { in: "src/pages/desk/desk.html", out: "desk" },
        { in: "src/pages/desk/desk.css", out: "desk" },
        { in: "src/pages/desk/main.ts", out: "desk" }
      ]
    })
  ])
}

const smallStyles = (build) => ({
  name: "small-styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], bundle: true, minify: true, write: false })
      return { contents: outputFiles[0].text, loader: "text" }
    })
  }
})
