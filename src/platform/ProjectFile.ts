import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const findUpwards = (folder: string, file: string): string => {
  const path = join(folder, file)
  const above = dirname(folder)
  return existsSync(path) || above === folder ? path : findUpwards(above, file)
}

/** Where a file of the project is, looked for from here upwards: the built code lies elsewhere than its source. */
export const projectFile = (file: string) => findUpwards(dirname(fileURLToPath(import.meta.url)), file)
