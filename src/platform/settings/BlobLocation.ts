import { isIPv4 } from "node:net"
import { Either } from "effect"

/** Where the bytes of files are kept. */
export type BlobLocation =
  | { readonly _tag: "Folder" }
  | { readonly _tag: "Postgres" }
  | {
      readonly _tag: "S3"
      readonly bucket: string
      /** Precedes every key; empty, or with a trailing slash. */
      readonly prefix: string
      /** The address of a store that is not Amazon's. */
      readonly endpoint: string | undefined
      readonly region: string
    }

const expected = "Expected folder, postgres or s3://bucket/prefix?endpoint=https://…&region=…"

const bucketNames = "a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens"

const isBucket = (name: string) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes("..") && !isIPv4(name)

/** The value may end up in a log: credentials have variables of their own. */
const noCredentials = "Set the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead"

const endpointProblem = (endpoint: string) => {
  if (!URL.canParse(endpoint) || !/^https?:\/\//.test(endpoint)) {
    return "The endpoint must be an http or https address, such as https://s3.example"
  }
  const { password, username } = new URL(endpoint)
  return `${username}${password}` === "" ? undefined : noCredentials
}

const parsePrefix = (pathname: string) =>
  Either.try({
    try: () => decodeURIComponent(pathname).replace(/^\/+|\/+$/g, ""),
    catch: () => "In the prefix, write % as %25"
  })

const parseS3 = (text: string): Either.Either<BlobLocation, string> => {
  if (!URL.canParse(text)) return Either.left(`${expected}; ${bucketNames}`)
  const { host: bucket, password, pathname, searchParams, username } = new URL(text)
  const { endpoint, region, ...others } = Object.fromEntries(searchParams)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return Either.left(`Unknown parameter ${unknown}: only endpoint and region are allowed`)
  if (`${username}${password}` !== "") return Either.left(noCredentials)
  if (bucket === "") return Either.left(expected)
  if (!isBucket(bucket)) return Either.left(`"${bucket}" is not a valid bucket name: ${bucketNames}`)
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint)
  if (problem !== undefined) return Either.left(problem)
  return Either.map(parsePrefix(pathname), (prefix) => ({
    _tag: "S3",
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint,
    region: region ?? "us-east-1"
  }))
}

/** Reads BLOB_STORE, or says what is wrong with it. */
export const parseBlobLocation = (text: string): Either.Either<BlobLocation, string> => {
  const word = text.trim()
  if (word.toLowerCase() === "folder") return Either.right({ _tag: "Folder" })
  if (word.toLowerCase() === "postgres") return Either.right({ _tag: "Postgres" })
  return /^s3:\/\//i.test(word) ? parseS3(word) : Either.left(`${expected} but received "${text}"`)
}
