import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const findUpwards = (folder: string, file: string): string => {
  const path = join(folder, file)
  const above = dirname(folder)
  return existsSync(path) || above === folder ? path : findUpwards(above, file)
}

/** Finds a file of the project by searching upwards from here: the built code lies elsewhere than its source. */
export const projectFile = (file: string) => findUpwards(dirname(fileURLToPath(import.meta.url)), file)
