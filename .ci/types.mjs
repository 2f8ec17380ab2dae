// Types, and what only the compiler's Effect edition finds (floating effects, missing layers), in one pass; part of
// npm run check. That edition comes as a binary for each platform. Where package-lock.json knows of none to install,
// the plain compiler checks the types alone.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const projects = { "tsconfig.json": "casework", "src/pages/tsconfig.json": "casework-pages" }

const platform = `@effect/tsgo-${process.platform}-${process.arch}`
const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))
const isLocked = packages[`node_modules/${platform}`]?.integrity !== undefined

const isInstalled = () => {
  try {
    createRequire(import.meta.url).resolve(`${platform}/package.json`)
    return true
  } catch {
    return false
  }
}

const effectEdition = () => spawnSync("effect-tsgo", ["get-exe-path"], { encoding: "utf8" }).stdout.trim()

const compiler = () => {
  if (isLocked || isInstalled()) return effectEdition()
  // A machine that can install must also be able to test.
  console.warn(`Effect diagnostics were NOT run: there is no ${platform} to install.`)
  return "tsc"
}

const command = compiler()
// Incremental here only: a build that extends the same tsconfig.json would emit nothing the second time.
const check = ([project, name]) => {
  const cache = ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/${name}.tsbuildinfo`]
  return spawnSync(command, ["--project", project, ...cache], { stdio: "inherit" }).status
}
if (!Object.entries(projects).every((project) => check(project) === 0)) process.exitCode = 1
