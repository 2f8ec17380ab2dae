import * as NodeStream from "@effect/platform-node/NodeStream"
import { Data, Deferred, Effect, Exit, Stream } from "effect"
import { constVoid, type LazyArg } from "effect/Function"
import type JSZip from "jszip"

/** A file was lost or the writer failed in the middle, after the first bytes were sent. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly cause: unknown }> {}

export interface ZippedFile {
  readonly name: string
  readonly content: Stream.Stream<Uint8Array>
  readonly options: JSZip.JSZipFileOptions
}

/**
 * Opens a file when the writer reaches it. The writer never closes its sources: a reader that breaks off would leave
 * the file open for good, with everything it holds, so it is closed with the scope.
 */
const opened = (content: Stream.Stream<Uint8Array>) =>
  Effect.acquireRelease(
    // The fiber that reads inherits this: otherwise it could not be stopped.
    Effect.interruptible(NodeStream.toReadable(content)),
    (readable) => Effect.sync(() => readable.destroy())
  )

/**
 * The writer may report a lost file later, when nothing reads any more: without a listener that would end the process.
 */
const generate = (zip: JSZip, options: JSZip.JSZipGeneratorOptions<"nodebuffer">) =>
  zip.generateNodeStream({ compression: "DEFLATE", ...options }).on("error", constVoid)

/** A zip with additional files, written while it is read. They stay open until the stream ends, however it ends. */
export const zipStream = (
  begin: LazyArg<JSZip>,
  files: ReadonlyArray<ZippedFile>,
  options: { readonly streamFiles: boolean }
): Stream.Stream<Uint8Array> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const zip = begin()
      const lost = yield* Deferred.make<never, BrokenOff>()
      for (const { content, name, options } of files) {
        const readable = yield* opened(content)
        // The writer does not notice a file that breaks off while it waits for its own reader, and would wait forever.
        readable.on("error", (cause) => Deferred.unsafeDone(lost, Exit.fail(new BrokenOff({ cause }))))
        zip.file(name, readable, options)
      }
      return NodeStream.fromReadable<BrokenOff, Uint8Array>(
        () => generate(zip, options),
        (cause) => new BrokenOff({ cause })
      ).pipe(
        Stream.interruptWhenDeferred(lost),
        // The cause itself, so that a response that has not begun can still say that the store or the database is away.
        Stream.orDieWith(({ cause }) => cause)
      )
    })
  )
