import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'

/**
 * The function creates a folder and its missing parents, for this user alone. An existing folder stays unchanged. Node's own
 * `recursive` tries for ever where the system answers as `/proc` does.
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
 * The function writes a new file for this user alone or, for PostgreSQL's files, for the owner of the folder. The result is
 * false when the file exists.
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

/** The result is undefined when there is no file. */
export function findText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    // /proc answers the last code for a process that ends meanwhile.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].some((code) => hasCode(error, code))) return undefined
    throw error
  }
}

/** The result is undefined when there is no folder. */
export function findNames(folder: string): string[] | undefined {
  return fs.lstatSync(folder, { throwIfNoEntry: false }) && fs.readdirSync(folder)
}

/** Any error of the system becomes one line that begins with `what` and ends with `advice`. */
export function inOneLine<Made>(what: string, advice: string, work: () => Made): Made {
  try {
    return work()
  } catch (error) {
    throwInOneLine(what, advice, error)
  }
}

/** The error that a promise was rejected with is thrown as `inOneLine` does. */
export function throwInOneLine(what: string, advice: string, error: unknown): never {
  if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error
  throw new OperatorError(`${what}: ${error.message}. ${advice}`)
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
