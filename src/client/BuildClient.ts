import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }

const name = "casework-client"

const folder = "dist/client"

const examples = ["WithEffect", "WithPromises"] as const

const entries = { ".": "Client", "./promise": "PromiseClient", "./*": "*" }

/** The schemas may use nothing of Node, so that the package also runs in a browser. */
const project = {
  extends: "../tsconfig.json",
  compilerOptions: {
    noEmit: false,
    declaration: true,
    outDir: "client",
    rootDir: "../schema",
    lib: ["es2023", "es2024.string", "dom", "dom.iterable"],
    types: []
  },
  include: ["../schema"]
}

const { version } = packageJson

const description = {
  name,
  version,
  description: "A typed client of Casework, generated from its contract: for Effect, and with plain Promises.",
  license: packageJson.license,
  type: "module",
  sideEffects: false,
  engines: packageJson.engines,
  exports: Object.fromEntries(
    Object.entries(entries).map(([path, module]) => [path, { types: `./${module}.d.ts`, default: `./${module}.js` }])
  ),
  files: ["*.js", "*.d.ts", "examples"],
  peerDependencies: {
    "@effect/platform": `^${packageJson.dependencies["@effect/platform"]}`,
    effect: `^${packageJson.dependencies.effect}`
  }
}

/** An example as a user of the installed package would write it. */
const exampleOf = (example: (typeof examples)[number]) =>
  readFileSync(`src/client/examples/${example}.ts`, "utf8")
    .replace("../../../schema/Client.ts", name)
    .replace("../../../schema/PromiseClient.ts", `${name}/promise`)

/** Peers, because another copy of effect installed beside the contract's would not be compatible with it. */
const peers = Object.entries(description.peerDependencies)
  .map(([peer, range]) => `${peer}@${range}`)
  .join(" ")

const readme = `# ${name}

A client of Casework ${version}, generated from its contract: every route, with its parameters, responses and errors.

    npm install ${name} ${peers}

## With Effect

Errors are the contract's own, in the error channel; requests go through the \`HttpClient\` that you provide.
Ids are branded and dates are \`DateTime\`. The schemas can be imported, such as \`${name}/Tickets\`.

\`\`\`ts
${exampleOf("WithEffect")}\`\`\`

## With Promises

JSON in, JSON out: ids are numbers, dates are ISO 8601 texts. An error response rejects with a \`CaseworkError\` (\`status\`, \`message\`, \`requestId\`, \`details\`); if the service cannot be reached, the promise rejects as that of \`fetch\` does.

\`\`\`ts
${exampleOf("WithPromises")}\`\`\`
`

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, "examples"), { recursive: true })
writeFileSync("dist/client.tsconfig.json", JSON.stringify(project))
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "dist/client.tsconfig.json"], {
  stdio: "inherit"
})
// The compiler rewrites import paths in the code, but not in the declarations.
for (const file of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
  const path = join(folder, file)
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(["'])(\.\/\w+)\.ts\1/g, "$1$2.js$1"))
}
writeFileSync(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`)
writeFileSync(join(folder, "README.md"), readme)
for (const example of examples) writeFileSync(join(folder, "examples", `${example}.ts`), exampleOf(example))
console.log(`${name} ${version} is in ${folder}. Look at it with: npm pack ./${folder} --dry-run`)
