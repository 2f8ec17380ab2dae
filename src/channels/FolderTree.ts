import type { ChannelFolderID } from "../../schema/Ids.ts"

interface Node {
  readonly folderID: ChannelFolderID
  readonly parentFolderID: ChannelFolderID | null
}

/** Whether the given parent would put a folder below itself. */
export const makesCircle = (
  folders: ReadonlyArray<Node>,
  folderID: ChannelFolderID,
  parentFolderID: ChannelFolderID
): boolean => {
  const parents = new Map(folders.map((folder) => [folder.folderID, folder.parentFolderID]))
  const above = new Set<ChannelFolderID>()
  for (
    let next: ChannelFolderID | null = parentFolderID;
    next !== null && !above.has(next);
    next = parents.get(next) ?? null
  ) {
    above.add(next)
  }
  return above.has(folderID)
}
