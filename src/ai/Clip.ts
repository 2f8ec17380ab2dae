const cut = "\n[… shortened]"

/** Shortens a text that is too long for a prompt, never leaving half a character. */
export const clip = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, Math.max(0, longest - cut.length)).toWellFormed()}${cut}`
