import { Effect } from "effect"
import sharp from "sharp"

/** A drawing as the JPEG that a camera would make of it. */
export const drawPicture = (svg: string) =>
  Effect.promise(() => sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer())
