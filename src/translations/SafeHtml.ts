import sanitizeHtml from "sanitize-html"
import { isTooMuch, withoutTags } from "../platform/text/Html.ts"

const options: sanitizeHtml.IOptions = {
  allowedTags: [
    ..."h1 h2 h3 h4 h5 h6 p br hr div span blockquote pre code ul ol li dl dt dd a img".split(" "),
    ..."b strong i em u s small sub sup mark abbr cite q".split(" "),
    ..."table caption colgroup col thead tbody tfoot tr th td figure figcaption".split(" ")
  ],
  allowedAttributes: {
    a: ["href", "title"],
    img: ["src", "alt", "title", "width", "height"],
    th: ["colspan", "rowspan", "scope"],
    td: ["colspan", "rowspan"],
    ol: ["start"],
    "*": ["dir"]
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["http", "https", "cid"] },
  allowProtocolRelative: false,
  nestingLimit: 100,
  // These elements are removed together with their text.
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "svg", "math", "iframe", "object"]
}

/** Sanitizes HTML so that it shows text but cannot run anything. */
export const safeHtml = (html: string) => (isTooMuch(html) ? withoutTags(html) : sanitizeHtml(html, options))
