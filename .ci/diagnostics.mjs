// What only the compiler's Effect edition finds (floating effects, missing layers); part of npm run check.
// It comes as a binary for each platform. Where package-lock.json knows of none to install, it cannot run.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const projects = ["tsconfig.json", "src/pages/tsconfig.json"]

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

if (!isLocked && !isInstalled()) {
  // A machine that can install must also be able to test.
  console.warn(`Effect diagnostics were NOT run: there is no ${platform} to install.`)
} else {
  const run = (project) => spawnSync("effect-tsgo", ["diagnostics", "--project", project], { stdio: "inherit" }).status
  if (!projects.every((project) => run(project) === 0)) process.exitCode = 1
}
