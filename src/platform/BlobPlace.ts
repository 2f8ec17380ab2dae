import { Either } from "effect"

/** Where the bytes of files are kept. */
export type BlobPlace =
  | { readonly _tag: "Folder" }
  | { readonly _tag: "Postgres" }
  | {
      readonly _tag: "S3"
      readonly bucket: string
      /** In front of every key; empty, or with a slash at its end. */
      readonly prefix: string
      /** Of a store that is not Amazon's. */
      readonly endpoint: string | undefined
      readonly region: string
    }

const expected = "Expected folder, postgres or s3://bucket/prefix?endpoint=https://…&region=…"

const parseS3 = (text: string): Either.Either<BlobPlace, string> => {
  if (!URL.canParse(text)) return Either.left(expected)
  const { hostname: bucket, password, pathname, searchParams, username } = new URL(text)
  const { endpoint, region, ...others } = Object.fromEntries(searchParams)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return Either.left(`It does not know ${unknown}, only endpoint and region`)
  // The value may end up in a log: credentials come in variables of their own.
  if (`${username}${password}` !== "") return Either.left("Give the credentials in the AWS_ variables instead")
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return Either.left(expected)
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:/.test(endpoint))) {
    return Either.left("endpoint must be an http or https address")
  }
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, "")
  return Either.right({
    _tag: "S3",
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint,
    region: region ?? "us-east-1"
  })
}

/** Reads BLOB_STORE, or says what is wrong with it. */
export const parseBlobPlace = (text: string): Either.Either<BlobPlace, string> => {
  const word = text.trim()
  if (word.toLowerCase() === "folder") return Either.right({ _tag: "Folder" })
  if (word.toLowerCase() === "postgres") return Either.right({ _tag: "Postgres" })
  return word.startsWith("s3://") ? parseS3(word) : Either.left(`${expected} but received "${text}"`)
}
