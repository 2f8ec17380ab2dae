import { access, constants } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { ConfigError, Effect } from "effect"

/** Work in the data folder. What goes wrong there is for the operator to mend, so it names the setting, not the file. */
export const inDataFolder = <A>(folder: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => {
      // "EACCES: permission denied, open '…'": of the system's words, those before the file.
      const reason = error instanceof Error ? error.message.replace(/,.*$/s, "") : String(error)
      return ConfigError.InvalidData(["DATA_DIR"], `Cannot write to the folder ${folder}: ${reason}`)
    }
  })

const findWritable = async (folder: string): Promise<void> => {
  try {
    // The slash at the end makes the system refuse a file.
    await access(`${folder}/`, constants.W_OK | constants.X_OK)
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT"
    if (!missing || dirname(folder) === folder) throw error
    await findWritable(dirname(folder))
  }
}

/** Fails unless a folder can be written to, or made if it is not there yet. It makes none itself. */
export const checkWritable = (folder: string) => inDataFolder(folder, () => findWritable(resolve(folder)))
