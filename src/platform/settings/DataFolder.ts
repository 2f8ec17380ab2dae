import { access, constants } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { ConfigError, Effect } from "effect"

/** Runs work in the data folder. Its errors are for the operator to fix, so they name the setting, not the file. */
export const inDataFolder = <A>(folder: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => {
      // Of "EACCES: permission denied, open '…'", only the part before the comma.
      const reason = error instanceof Error ? error.message.replace(/,.*$/s, "") : String(error)
      return ConfigError.InvalidData(["DATA_DIR"], `Cannot write to the folder ${folder}: ${reason}`)
    }
  })

const findWritable = async (folder: string): Promise<void> => {
  try {
    // The trailing slash makes the system refuse a file.
    await access(`${folder}/`, constants.W_OK | constants.X_OK)
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT"
    if (!missing || dirname(folder) === folder) throw error
    await findWritable(dirname(folder))
  }
}

/** Fails unless a folder is writable, or could be created. Does not create it. */
export const checkWritable = (folder: string) => inDataFolder(folder, () => findWritable(resolve(folder)))
