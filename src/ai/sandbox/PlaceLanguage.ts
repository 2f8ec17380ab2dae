import { plain } from "./Words.ts"

/** Parts of countries whose language differs from the rest of the country. */
const regions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CH: {
    fr: "geneva geneve genf vaud lausanne neuchatel jura fribourg sion",
    it: "ticino tessin lugano bellinzona locarno"
  },
  BE: {
    nl: "flanders vlaanderen antwerp antwerpen gent ghent brugge bruges leuven",
    fr: "wallonia wallonie liege namur charleroi mons brussels bruxelles brussel",
    de: "eupen"
  },
  CA: { fr: "quebec montreal laval gatineau sherbrooke" },
  ES: {
    ca: "catalonia catalunya cataluna barcelona girona tarragona lleida",
    eu: "bilbao donostia",
    gl: "galicia vigo"
  },
  IT: { de: "bolzano bozen sudtirol" },
  FI: { sv: "aland mariehamn" },
  IN: { ta: "chennai", bn: "kolkata", mr: "mumbai pune", te: "hyderabad", kn: "bengaluru bangalore" },
  US: { es: "puerto-rico san-juan" }
}

const regionNames = ["en", "de", "fr", "es", "it", "nl", "pt"].map(
  (locale) => new Intl.DisplayNames(locale, { type: "region", fallback: "none" })
)

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

const spellings: Readonly<Record<string, string>> = {
  usa: "US",
  uk: "GB",
  england: "GB",
  "great britain": "GB",
  scotland: "GB",
  wales: "GB",
  holland: "NL",
  "czech republic": "CZ",
  "south korea": "KR",
  korea: "KR",
  turkey: "TR",
  uae: "AE"
}

let codes: ReadonlyMap<string, string> | undefined

/** Every country by its names in a few languages, built on first use. */
const countryCodes = () => {
  codes ??= new Map([
    ...letters.flatMap((first) =>
      letters.flatMap((second) => {
        const code = first + second
        return regionNames.flatMap((names) => {
          const name = names.of(code)
          return name === undefined ? [] : [[plain(name), code] as const]
        })
      })
    ),
    ...Object.entries(spellings)
  ])
  return codes
}

const codeOf = (country: string) =>
  /^[a-z]{2}$/i.test(country.trim()) ? country.trim().toUpperCase() : countryCodes().get(plain(country.trim()))

const oneWord = (name: string) => plain(name).trim().replaceAll(/\s+/g, "-")

/**
 * The language of a place: that of its city or state where it is known to differ, else the country's most likely one.
 */
export const languageOfPlace = (country: string, parts: ReadonlyArray<string>): string => {
  const code = codeOf(country)
  if (code === undefined) return "en"
  const wanted = parts.map(oneWord)
  const regional = Object.entries(regions[code] ?? {}).find(([, names]) =>
    names.split(" ").some((name) => wanted.includes(name))
  )
  const likely = new Intl.Locale(`und-${code}`).maximize().language
  return regional?.[0] ?? (likely === "und" ? "en" : likely)
}
