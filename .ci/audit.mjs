// Asks the registry for known vulnerabilities of the installed packages; part of npm run check.
// High and critical ones fail, unless .ci/audit-allowed.json names the advisory with a reason.
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"

const failing = new Set(["high", "critical"])
const allowed = JSON.parse(readFileSync(new URL("audit-allowed.json", import.meta.url), "utf8"))

const audit = () =>
  new Promise((resolve) => {
    const quick = ["--fetch-retries=0", "--fetch-timeout=15000"]
    execFile("npm", ["audit", "--json", ...quick], { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (_, output) => {
      try {
        resolve(JSON.parse(output))
      } catch {
        resolve({})
      }
    })
  })

const { vulnerabilities } = await audit()
if (vulnerabilities === undefined) {
  // Offline, or a registry without that endpoint: a machine that can install must also be able to test.
  console.warn("Dependencies were NOT audited: the registry does not answer npm audit.")
} else {
  const advisories = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((one) => typeof one === "object" && failing.has(one.severity))
  const idOf = ({ url }) => url.split("/").at(-1)
  const found = new Map(advisories.map((advisory) => [idOf(advisory), advisory]))
  const open = [...found].filter(([id]) => !Object.hasOwn(allowed, id))
  for (const [id, { name, severity, title }] of open) console.error(`${severity}: ${name}: ${title} (${id})`)
  for (const id of Object.keys(allowed)) {
    if (!found.has(id)) console.warn(`${id} in .ci/audit-allowed.json is not found any more: take it out.`)
  }
  if (open.length > 0) process.exitCode = 1
  else console.log(`No open advisory of high severity in ${Object.keys(vulnerabilities).length} reported packages.`)
}
