import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'

/**
 * Makes a folder with those above it that are missing, for this user alone. One that is there is left as it is. Node's
 * own `recursive` tries for ever where the system answers as `/proc` does.
 */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(path.resolve(folder)))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/**
 * Writes a file that is not there yet, for this user alone or, for what PostgreSQL has to read, for the owner of its
 * folder; false when it is there.
 */
export function createFile(file: string, text: string, reader: 'us' | 'owner of the folder' = 'us'): boolean {
  let opened: number
  try {
    opened = fs.openSync(file, 'wx', 0o600)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    fs.writeSync(opened, text)
    const { uid, gid } = fs.statSync(path.dirname(file))
    if (reader === 'owner of the folder' && process.getuid?.() === 0) fs.fchownSync(opened, uid, gid)
    fs.fsyncSync(opened)
  } finally {
    fs.closeSync(opened)
  }
  return true
}

/** The text of a file; undefined when there is none. */
export function findText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    // The last is what /proc answers for a process that ends meanwhile.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].some((code) => hasCode(error, code))) return undefined
    throw error
  }
}

/** The names in a folder; undefined when there is none. */
export function findNames(folder: string): string[] | undefined {
  return fs.lstatSync(folder, { throwIfNoEntry: false }) && fs.readdirSync(folder)
}

/** Whatever the system refuses becomes one line that begins with `what` and ends with `advice`. */
export function inOneLine<Made>(what: string, advice: string, work: () => Made): Made {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error
    throw new OperatorError(`${what}: ${error.message}. ${advice}`)
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
