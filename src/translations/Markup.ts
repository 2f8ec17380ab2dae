const names = [
  ..."a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas".split(" "),
  ..."caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed".split(" "),
  ..."fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr".split(" "),
  ..."html i iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript".split(" "),
  ..."object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section".split(" "),
  ..."select slot small source span strike strong style sub summary sup svg table tbody td template".split(" "),
  ..."textarea tfoot th thead time title tr track tt u ul var video wbr xmp".split(" ")
].join("|")

const flags = "async autoplay checked compact controls defer disabled hidden ismap loop multiple muted nowrap open"
const value = `"[^"]*"|'[^']*'|[^\\s"'<>]+`
// Without a value only known flags count as attributes, so that "if a <b and c>" is not taken for a tag.
const attribute = `(?:[\\w:@.-]+\\s*=\\s*(?:${value})|data-[\\w-]+|(?:${flags.replaceAll(" ", "|")})(?![\\w-]))`
const tag = new RegExp(`<(?:/(?:${names})\\s*|(?:${names})(?:\\s+${attribute})*\\s*/?)>`, "i")

/** Whether a text is HTML, and not just plain text with characters like < and >. */
export const isMarkup = (source: string) => tag.test(source)

// No part of the pattern can match in two ways, so that even a hostile text takes linear time.
const inBrackets = /<((?:[a-z][a-z0-9+.-]*:\/\/|mailto:|tel:)[^\s<>]*|[^\s<>"'@]+@[^\s<>"'@]+)>/gi

/** Escapes addresses and links in angle brackets, as mails contain them, so that they stay text. */
export const withAddresses = (source: string) => source.replace(inBrackets, "&lt;$1&gt;")
