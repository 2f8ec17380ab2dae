import type { ByteRange } from "./BlobStore.ts"

export type Wanted = { readonly _tag: "Whole" } | { readonly _tag: "Nothing" } | ({ readonly _tag: "Part" } & ByteRange)

const whole: Wanted = { _tag: "Whole" }

/** Parses a Range header. As the standard requires, one that is not understood asks for everything. */
export const wantedRange = (header: string | undefined, size: number): Wanted => {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "") ?? []
  if (first === undefined || last === undefined || first + last === "") return whole
  const [start, end] =
    first === "" ? [Math.max(0, size - Number(last)), size - 1] : [Number(first), last === "" ? size - 1 : Number(last)]
  if (first !== "" && last !== "" && Number(last) < Number(first)) return whole
  return start >= size ? { _tag: "Nothing" } : { _tag: "Part", start, end: Math.min(end, size - 1) }
}
