export interface Options {
  readonly service: URL
  readonly channelToken: string
  readonly language: string
  readonly isRightToLeft: boolean
  readonly theme: "light" | "dark" | "auto"
  readonly accent: string | undefined
  readonly side: "start" | "end"
  readonly startsOpen: boolean
}

const rightToLeft = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ku", "ps", "sd", "syr", "ug", "ur", "yi"])

const isRightToLeft = (language: string) => rightToLeft.has(language.split("-")[0]?.toLowerCase() ?? "")

/** Reads the options from the script tag; the page around it supplies what is missing there. */
export const readOptions = (script: HTMLScriptElement): Options | undefined => {
  const { accent, channelToken, lang, open, side, theme } = script.dataset
  if (channelToken === undefined || channelToken === "") return undefined
  const language = [lang, document.documentElement.lang, navigator.language].find((tag) => tag) ?? "en"
  return {
    service: new URL("/", script.src),
    channelToken,
    language,
    isRightToLeft: isRightToLeft(language),
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    accent: accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) ? accent : undefined,
    side: side === "start" ? "start" : "end",
    startsOpen: open !== undefined
  }
}
