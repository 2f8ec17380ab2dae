import { Effect } from "effect"
import sharp from "sharp"

/** Renders a drawing as a JPEG, like a photo from a camera. */
export const drawPicture = (svg: string) =>
  Effect.promise(() => sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer())
