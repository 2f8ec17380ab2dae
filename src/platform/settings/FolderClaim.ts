import { randomBytes } from "node:crypto"
import { lstat, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** A file in a folder that stands for the process holding it. */
export interface FolderClaim {
  readonly name: string
  readonly release: () => Promise<void>
}

const claimName = /^casework\.lock\.(\d+)\.(\d*)\.[0-9a-f-]+$/

/** The id of the process that made a claim, from its name; undefined for any other file. */
export const claimant = (name: string) => claimName.exec(name)?.[1]

/** State and start time of a process, where the system reports them (Linux); the name in field 2 may contain spaces. */
const processFacts = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  const fields = stat?.replace(/^.*\) /s, "").split(" ")
  return fields === undefined ? undefined : { zombie: fields[0] === "Z", started: fields[19] ?? "" }
}

const newName = async () => {
  const facts = await processFacts(process.pid)
  return `casework.lock.${process.pid}.${facts?.started ?? ""}.${randomBytes(6).toString("hex")}`
}

// One byte less than the shortest path limit for a socket on any system, minus the suffix of one that is not ready.
const longestPath = 103 - ".new".length

/** Calls `use` with a path to a file that is short enough for a socket: a long one goes through a temporary symlink. */
const byShortPath = async <A>(folder: string, name: string, use: (path: string) => Promise<A>): Promise<A> => {
  const direct = join(folder, name)
  if (Buffer.byteLength(direct) <= longestPath) return use(direct)
  const elsewhere = await mkdtemp(join(tmpdir(), "cw-"))
  try {
    await symlink(resolve(folder), join(elsewhere, "d"))
    const path = join(elsewhere, "d", name)
    if (Buffer.byteLength(path) > longestPath) throw new Error("The path of the data folder is too long for a socket")
    return await use(path)
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
}

const listen = (path: string) =>
  new Promise<Server>((fulfil, refuse) => {
    // Connecting tells the client all that there is to know.
    const server = createServer((socket) => void socket.on("error", () => undefined).destroy())
    server.unref()
    server.once("error", refuse)
    server.listen({ path, exclusive: true }, () => fulfil(server))
  })

/**
 * Claims a folder with a socket that this process listens on: the system closes it however the process dies, and any
 * process on the machine can try it, even from another container, where process ids say nothing. It gets its name only
 * once it listens, so that no other process takes it for a dead one.
 */
const claimBySocket = async (folder: string): Promise<FolderClaim> => {
  const name = await newName()
  const path = join(folder, name)
  const server = await byShortPath(folder, name, (short) => listen(`${short}.new`))
  const close = () => new Promise<void>((done) => server.close(() => done()))
  await rename(`${path}.new`, path).catch((error) => close().then(() => Promise.reject(error)))
  return {
    name,
    release: async () => {
      await rm(path, { force: true })
      await close()
    }
  }
}

// The claim files of this process: any other with the same process id was left by a dead process.
const ownFiles = new Set<string>()

/** For a file system without sockets, where the process id has to do. */
const claimByFile = async (folder: string): Promise<FolderClaim> => {
  const name = await newName()
  ownFiles.add(name)
  await writeFile(join(folder, name), "", { flag: "wx", mode: 0o600 })
  return {
    name,
    release: async () => {
      await rm(join(folder, name), { force: true })
      ownFiles.delete(name)
    }
  }
}

/**
 * Puts a claim of this process into a folder. Its unique name says everything: there is no content that could be read
 * half written.
 */
export const putClaim = (folder: string) => claimBySocket(folder).catch(() => claimByFile(folder))

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined)

const isProcessAlive = async (pid: number, started: string, name: string) => {
  if (pid === process.pid) return ownFiles.has(name)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false
  }
  const facts = await processFacts(pid)
  // After kill -9 a process can stay visible as a zombie, and its id can be given to another one.
  return facts === undefined || (!facts.zombie && (started === "" || started === facts.started))
}

/** A socket is dead only if the system says that nothing listens: a busy or frozen process may not respond. */
const isListenedTo = (path: string) =>
  new Promise<boolean>((fulfil) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      fulfil(true)
    })
    socket.once("error", (error) => fulfil(!["ECONNREFUSED", "ENOENT"].includes(String(codeOf(error)))))
  })

/** Whether the process that made a claim is alive; false for a claim that is gone. */
export const isHeld = async (folder: string, name: string): Promise<boolean> => {
  const [, pid, started = ""] = claimName.exec(name) ?? []
  const found = await lstat(join(folder, name)).catch(() => undefined)
  if (found === undefined) return false
  return found.isSocket() ? byShortPath(folder, name, isListenedTo) : isProcessAlive(Number(pid), started, name)
}
