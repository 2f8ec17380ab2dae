import contentDisposition from "content-disposition"

/**
 * How a file is to be saved or shown. A name beyond ASCII also travels in the form that says how it is written: the
 * plain one is read in one way by some programs and in another by others.
 */
export const dispositionOf = (fileName: string, type: "inline" | "attachment") =>
  contentDisposition(fileName, { type, fallback: fileName.replace(/[^ -~]/gu, "?") })
