import { Context, Data, type Effect } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

export const pictureTypes = ["image/jpeg", "image/png", "image/webp"] as const
export type PictureType = (typeof pictureTypes)[number]

export interface Picture {
  readonly bytes: Uint8Array
  readonly contentType: PictureType
  readonly widthPx: number
  readonly heightPx: number
}

/** The bytes of a picture, or the path of a file with them: what waits there for its turn takes no memory. */
export type PictureSource = Uint8Array | string

/** The bytes are those of something else. */
export class NoPicture extends Data.TaggedError("NoPicture")<{}> {}

/** A picture that cannot be used; the message goes on from its name. */
export class UnreadablePicture extends Data.TaggedError("UnreadablePicture")<{ readonly message: string }> {}

/** Works on pictures. However many ask at once, only a few are held at a time, and customers take turns. */
export class ImageProcessor extends Context.Tag("casework/ImageProcessor")<
  ImageProcessor,
  {
    /** Upright, no larger than a photo may be, without any metadata, in the format it came in. */
    readonly prepare: (source: PictureSource) => Effect.Effect<Picture, NoPicture | UnreadablePicture>
    /**
     * The same for a customer. What is done with the picture belongs to its turn and is not interrupted: until then it
     * is held, and afterwards it need not be.
     */
    readonly prepareFor: <A, E, R>(
      customerID: CustomerID,
      source: PictureSource,
      use: (picture: Picture) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | NoPicture | UnreadablePicture, R>
    /** The same picture in a format that Word can show. */
    readonly forWord: (customerID: CustomerID, bytes: Uint8Array) => Effect.Effect<Uint8Array>
  }
>() {}
