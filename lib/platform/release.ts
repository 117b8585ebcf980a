import 'server-only'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type Env, env, readCommit } from './env.ts'
import { logOf } from './log.ts'

/** The release names the program that runs. */
export interface Release {
  readonly version: string
  /** The commit has 40 hexadecimal digits, or what `RAMPART_COMMIT` says; null when nothing names it. */
  readonly commit: string | null
}

/** Each process reads its release once, because files change under a running process. */
export function release(): Release {
  globalThis.rampartRelease ??= readRelease()
  return globalThis.rampartRelease
}

/** A clone knows its commit. A tree without `.git`, as in an image, knows what its build or `RAMPART_COMMIT` wrote. */
export function readRelease(root = '.', given = readCommit()): Release {
  const { version } = PackageSchema.parse(
    JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')),
  )
  return { version, commit: given ?? readClonedCommit(root) ?? read(path.join(root, commitOfBuild)) }
}

/** `next build` empties the folder, so that the file is written after it. */
export const commitOfBuild = '.next/commit'

const PackageSchema = z.object({ version: z.string() })

/** The commit is read without git, which an image or a server may not have. */
export function readClonedCommit(root: string): string | null {
  const inside = path.join(root, '.git')
  // A work tree has a file that names its folder.
  const [, elsewhere] = /^gitdir: (.+)$/m.exec(read(inside) ?? '') ?? []
  const folder = elsewhere === undefined ? inside : path.resolve(root, elsewhere)
  const shared = path.resolve(folder, read(path.join(folder, 'commondir')) ?? '.')
  const head = read(path.join(folder, 'HEAD')) ?? ''
  const [, name] = /^ref: (refs\/.+)$/.exec(head) ?? []
  if (name === undefined) return commitIn(head)
  const packed = read(path.join(shared, 'packed-refs'))?.split('\n') ?? []
  return commitIn(read(path.join(shared, name)) ?? packed.find((line) => line.endsWith(` ${name}`)) ?? '')
}

const commitIn = (text: string): string | null => /^[0-9a-f]{40}/.exec(text)?.[0] ?? null

/** The text is null where there is no such file, or none that this user may read. */
function read(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}

/** People read the release in this form: `0.2.0 (1a2b3c4d5e6f)`. */
export const releaseInWords = ({ version, commit }: Release): string =>
  commit === null ? version : `${version} (${commit.slice(0, 12)})`

/** The first line in the log of each process says what runs there. */
export function logStart(component: string, { port, roles }: Pick<Env, 'port' | 'roles'> = env()): void {
  logOf(component).info({ ...release(), port, roles }, 'The process starts')
}

declare global {
  var rampartRelease: Release | undefined
}
