import type { Target } from "../../schema/MappingTarget.ts"
import type { Reference } from "../platform/database/OwnReferences.ts"

/** Hook names are compared without regard to case. */
export const targetKey = ({ channelID, hookName, specialChannel, topicID }: Target) =>
  [topicID, hookName?.toLowerCase() ?? null, channelID, specialChannel].join(" ")

/** The ids that a mapping names, each with its path below the given one. */
export const referencesOf = (
  ids: {
    readonly topicID?: number | null | undefined
    readonly actionID?: number | undefined
    readonly documentID?: number | undefined
    readonly channelID?: number | null | undefined
  },
  at = ""
): ReadonlyArray<Reference> => {
  const { actionID, channelID, documentID, topicID } = ids
  const given = (kind: Reference["kind"], field: string, id: number | null | undefined) =>
    id === null || id === undefined ? [] : [{ kind, path: `${at}${field}`, id }]
  return [
    ...given("topic", "topicID", topicID),
    ...given("action", "actionID", actionID),
    ...given("document", "documentID", documentID),
    ...given("channel", "channelID", channelID)
  ]
}
