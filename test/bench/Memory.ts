import { readFileSync } from "node:fs"

const mebibytes = (pid: number, field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) /
  1024

/** The physical memory that a process holds, in MiB. */
export const residentMemory = (pid: number) => mebibytes(pid, "VmRSS")

/** The most that it has ever held. */
export const peakMemory = (pid: number) => mebibytes(pid, "VmHWM")
