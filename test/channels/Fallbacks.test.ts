import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Struct } from "effect"
import { ChannelTranslation, ChatTexts } from "../../schema/ChannelTranslations.ts"
import { ChannelFolderID } from "../../schema/Ids.ts"
import { makesCircle } from "../../src/channels/FolderTree.ts"
import { resolveChatTexts } from "../../src/channels/TranslationFallback.ts"

const languages = ["de", "de-CH", "fr", "en"]

const translations = fc.array(
  fc
    .tuple(Arbitrary.make(ChannelTranslation), fc.constantFrom(...languages))
    .map(([translation, lang]) => new ChannelTranslation({ ...translation, lang })),
  { maxLength: 4 }
)

const fields = Struct.keys(ChatTexts.fields)

describe("The texts of a chat window", () => {
  it("come from the closest translation that has them", () => {
    fc.assert(
      fc.property(translations, translations, (own, others) => {
        const english = resolveChatTexts("xx", [], [])
        const resolved = resolveChatTexts("de-CH", own, others)
        const first = (all: ReadonlyArray<ChannelTranslation>, lang: string) =>
          all.find((translation) => translation.lang === lang)
        for (const field of fields) {
          const candidates = [first(own, "de-CH"), first(own, "de"), first(others, "de-CH"), first(others, "de")]
          const given = candidates.map((translation) => translation?.[field] ?? null).find((text) => text !== null)
          expect(resolved[field]).toBe(given ?? english[field])
        }
      }),
      { numRuns: 50 }
    )
  })
})

describe("A folder's parent", () => {
  it("makes a circle exactly when the folder lies above it", () => {
    const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((picks) =>
      picks.map((pick, index) => ({
        folderID: ChannelFolderID.make(index + 1),
        parentFolderID: index === 0 || pick % 4 === 0 ? null : ChannelFolderID.make((pick % index) + 1)
      }))
    )
    fc.assert(
      fc.property(trees, fc.nat(), fc.nat(), (folders, one, other) => {
        const folderID = ChannelFolderID.make((one % folders.length) + 1)
        const parentFolderID = ChannelFolderID.make((other % folders.length) + 1)
        const moved = folders.map((folder) => (folder.folderID === folderID ? { ...folder, parentFolderID } : folder))
        const reachesTop = (id: ChannelFolderID | null, steps: number): boolean =>
          id === null || (steps > 0 && reachesTop(moved[id - 1]?.parentFolderID ?? null, steps - 1))
        expect(makesCircle(folders, folderID, parentFolderID)).toBe(!reachesTop(folderID, folders.length))
      })
    )
  })
})
