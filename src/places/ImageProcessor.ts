import { Context, Data, type Effect } from "effect"

export const pictureTypes = ["image/jpeg", "image/png", "image/webp"] as const
export type PictureType = (typeof pictureTypes)[number]

export interface Picture {
  readonly bytes: Uint8Array
  readonly contentType: PictureType
  readonly widthPx: number
  readonly heightPx: number
}

/** The bytes are those of something else. */
export class NoPicture extends Data.TaggedError("NoPicture")<{}> {}

/** A picture that cannot be used; the message goes on from its name. */
export class UnreadablePicture extends Data.TaggedError("UnreadablePicture")<{ readonly message: string }> {}

/** Works on pictures. However many ask at once, only a few are held at a time. */
export class ImageProcessor extends Context.Tag("casework/ImageProcessor")<
  ImageProcessor,
  {
    /** Upright, no larger than a photo may be, without any metadata, in the format it came in. */
    readonly prepare: (bytes: Uint8Array) => Effect.Effect<Picture, NoPicture | UnreadablePicture>
    /** The same picture in a format that Word can show. */
    readonly forWord: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
  }
>() {}
