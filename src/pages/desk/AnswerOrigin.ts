import { element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"

/** The line above a text that says where it comes from. */
export const originOf = (text: "draft" | "edited draft" | "answer" | "message"): ReadonlyArray<Node | string> => {
  switch (text) {
    case "draft":
      return [icon(icons.spark), element("strong", {}, "AI draft"), " Review before sending."]
    case "edited draft":
      return [icon(icons.spark), element("strong", {}, "AI draft, edited")]
    case "answer":
      return ["Your reply"]
    case "message":
      return ["New message"]
  }
}
