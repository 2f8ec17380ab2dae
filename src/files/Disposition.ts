import contentDisposition from "content-disposition"

/**
 * How a file is to be saved or shown. A name beyond ASCII is also sent in the form that states its encoding, because
 * programs decode the plain form differently.
 */
export const dispositionOf = (fileName: string, type: "inline" | "attachment") =>
  contentDisposition(fileName, { type, fallback: fileName.replace(/[^ -~]/gu, "?") })
