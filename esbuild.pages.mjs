import { readdirSync, statSync } from "node:fs"

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const newest = ["src/pages", "schema"]
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
  .concat("package-lock.json", "esbuild.pages.mjs")
  .reduce((latest, path) => Math.max(latest, changedAt(path)), 0)

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
export const buildPages = async () => {
  if (changedAt("dist/pages/desk.js") > newest) return
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
