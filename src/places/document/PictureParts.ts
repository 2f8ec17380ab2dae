import type JSZip from "jszip"

export const mediaPath = (picture: string) => `word/media/${picture}`

/** The parts of a document that hold text. */
export const isText = (name: string) => /^word\/.+\.xml$/.test(name)

const relationId = (picture: string) => `rIdPhoto${picture.replace(/\..*$/, "")}`

/** Turns the names of pictures in a text into references, and returns which pictures there are. */
export const linkPictures = (xml: string) => {
  const pictures = new Set<string>()
  const linked = xml.replace(/"rId\{([^{}"]+)\}"/g, (_, picture: string) => {
    pictures.add(picture)
    return `"${relationId(picture)}"`
  })
  return { xml: linked, pictures: [...pictures] }
}

const relationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"

/** Adds more relationships to those of a text. */
const withRelations = (relations: string, others: string) =>
  relations.replace(/<\/Relationships>|<Relationships([^>]*)\/>/, (end, attributes: string | undefined) =>
    attributes === undefined ? others + end : `<Relationships${attributes}>${others}</Relationships>`
  )

const types: Readonly<Record<string, string>> = { jpg: "image/jpeg", png: "image/png" }

/** Adds the content types of pictures to the list of content types. */
export const withPictureTypes = (contentTypes: string) =>
  Object.entries(types)
    .filter(([extension]) => !new RegExp(`<Default[^>]*Extension="${extension}"`, "i").test(contentTypes))
    .reduce(
      (xml, [extension, type]) =>
        xml.replace(/(<Types[^>]*>)/, `$1<Default Extension="${extension}" ContentType="${type}"/>`),
      contentTypes
    )

const noRelations =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'

const relationsOf = (name: string) => name.replace(/([^/]+)$/, "_rels/$1.rels")

/** Writes a text's references to other parts into the package. */
export const addRelations = async (parts: JSZip, name: string, others: string) => {
  const path = relationsOf(name)
  const relations = (await parts.file(path)?.async("text")) ?? noRelations
  parts.file(path, withRelations(relations, others))
}

/** Writes a text's references to its pictures into the package. */
export const addPictureRelations = (parts: JSZip, name: string, pictures: ReadonlyArray<string>) => {
  const folder = `${"../".repeat(name.split("/").length - 2)}media`
  const relation = (picture: string) =>
    `<Relationship Id="${relationId(picture)}" Type="${relationType}" Target="${folder}/${picture}"/>`
  return addRelations(parts, name, pictures.map(relation).join(""))
}
