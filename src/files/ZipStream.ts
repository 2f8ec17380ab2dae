import * as NodeStream from "@effect/platform-node/NodeStream"
import { Data, Deferred, Effect, Exit, Stream } from "effect"
import { constVoid, type LazyArg } from "effect/Function"
import type JSZip from "jszip"

/** A file was lost or the writer failed in the middle, when the first bytes were under way already. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly cause: unknown }> {}

export interface ZippedFile {
  readonly name: string
  readonly content: Stream.Stream<Uint8Array>
  readonly options: JSZip.JSZipFileOptions
}

/**
 * Opens a file when the writer has come to it. The writer never closes what it reads from: a reader who breaks off would
 * leave it open for good, with all that it holds, so it ends with the scope.
 */
const opened = (content: Stream.Stream<Uint8Array>) =>
  Effect.acquireRelease(
    // What is behind it inherits this: the fiber that reads could not be stopped otherwise.
    Effect.interruptible(NodeStream.toReadable(content)),
    (readable) => Effect.sync(() => readable.destroy())
  )

/** The writer tells of a lost file in a later turn, when nobody may read any more: unheard, that would end the process. */
const generate = (zip: JSZip, options: JSZip.JSZipGeneratorOptions<"nodebuffer">) =>
  zip.generateNodeStream({ compression: "DEFLATE", ...options }).on("error", constVoid)

/** A zip with more files, written while it is read. They are open until the stream ends, however it ends. */
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
        // The writer does not hear of a file that breaks off while it waits for its own reader, and would wait for ever.
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
