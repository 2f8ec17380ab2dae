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

/** The bytes of a picture, or the path of a file that holds them: a picture waiting in a file takes no memory. */
export type PictureSource = Uint8Array | string

/** A picture that cannot be used; the message continues a sentence that begins with the file's name. */
export class UnreadablePicture extends Data.TaggedError("UnreadablePicture")<{ readonly message: string }> {}

/** Processes pictures. Only a few are held in memory at a time, whatever the demand, and customers take turns. */
export class ImageProcessor extends Context.Tag("casework/ImageProcessor")<
  ImageProcessor,
  {
    /** Returns the picture upright, no larger than a photo may be, without any metadata and in its original format. */
    readonly prepare: (source: PictureSource) => Effect.Effect<Picture, UnreadablePicture>
    /**
     * The same for a customer. `use` belongs to the picture's turn and is not interrupted: the picture is held in
     * memory until `use` ends, and need not be held any longer.
     */
    readonly prepareFor: <A, E, R>(
      customerID: CustomerID,
      source: PictureSource,
      use: (picture: Picture) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | UnreadablePicture, R>
    /** Returns the picture in a format that Word can show. */
    readonly forWord: (customerID: CustomerID, bytes: Uint8Array) => Effect.Effect<Uint8Array>
  }
>() {}
