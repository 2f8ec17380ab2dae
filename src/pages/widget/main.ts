import { readOptions } from "./Options.ts"
import { mountWidget } from "./Widget.ts"

const start = (script: HTMLScriptElement) => {
  const options = readOptions(script)
  if (options === undefined) {
    console.error("Casework chat: the script tag needs data-channel-token, the token of a Chat channel.")
    return
  }
  // A page that loads the script twice still gets one window.
  if (document.querySelector("[data-casework-chat]") !== null) return
  void mountWidget(options)
}

const script = document.currentScript
if (script instanceof HTMLScriptElement) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => start(script))
  else start(script)
}
