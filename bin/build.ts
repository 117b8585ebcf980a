import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { commitOfBuild, readRelease } from '#lib/platform/release.ts'
import { aloneInTree } from './tree-lock.mjs'

export interface BuildOptions {
  readonly logs: string
  readonly say: (line: string) => void
  /** The signal ends a running build. */
  readonly signal: AbortSignal
  /** A build without a cache for the next one takes longer next time, and saves 110 MB. */
  readonly once?: boolean
}

/** The file names the sources from which the pages in `.next` were built. */
const stamp = '.next/made-from'

const sources = [
  'app',
  'components',
  'lib',
  'public',
  'instrumentation-client.ts',
  'package-lock.json',
  'next.config.mjs',
  'tsconfig.json',
  'postcss.config.mjs',
]

/** `build` builds the pages when their sources have changed. It needs neither a database nor a network. */
export async function build({ logs, say, signal, once = false }: BuildOptions) {
  const digest = digestOf(sources)
  if (builtFrom() === digest) return
  requireBuildable()
  await aloneInTree({ say, signal }, async (lock: number) => {
    if (builtFrom() === digest) return
    say('Building the pages; this takes a minute or two.')
    const tight = tightMemory(
      Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
    )
    if (tight) say(tight)
    fs.rmSync(stamp, { force: true })
    const variables = { ...identityOf(digest), ...(once ? { RAMPART_BUILD_ONCE: '1' } : {}) }
    await runNext({ log: path.join(logs, 'next.log'), lock, variables, signal })
    const { commit } = readRelease()
    if (commit !== null) fs.writeFileSync(commitOfBuild, commit)
    fs.writeFileSync(stamp, digest)
  })
}

/**
 * The warning appears where so little memory is free that a build may never end. It is null otherwise.
 * @param bytes that it may use
 */
export const tightMemory = (bytes: number): string | null =>
  bytes < 1.75 * 2 ** 30
    ? `There are ${Math.round(bytes / 2 ** 20)} MB of memory here, and a build needs about 2 GB: it may not end.`
    : null

/** Tailwind cannot read a style sheet below such a folder. The function throws a `BuildError` with advice there. */
export function requireBuildable() {
  const folder = process.cwd()
  if (folder.includes('#'))
    throw new BuildError(
      `The pages cannot be built below a folder with a # in its name: ${folder}. Move Rampart to another folder.`,
    )
}

/** The function throws a `BuildError` with advice where the pages of these sources are not built. */
export function requireBuilt() {
  const from = builtFrom()
  if (from === undefined) throw new BuildError('The pages are not built. Build them first: npm run build')
  if (from !== digestOf(sources))
    throw new BuildError('The sources changed since the pages were built. Build them again: npm run build')
}

/**
 * Two builds of the same sources must be the same wherever they are made, so that several servers know each other's forms
 * and an open page works at another server. The key protects what an action closes over. No action of ours is a closure, so
 * the key need not be secret. Decision 0110.
 */
export function identityOf(digest: string) {
  return {
    RAMPART_BUILD_ID: digest.slice(0, 32),
    NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: crypto
      .createHash('sha256')
      .update(`server actions ${digest}`)
      .digest('base64'),
  }
}

export class BuildError extends OperatorError {}

const builtFrom = () => (fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8') : undefined)

interface NextBuild {
  readonly log: string
  readonly lock: number
  readonly variables: Record<string, string>
  readonly signal: AbortSignal
}

async function runNext({ log, lock, variables, signal }: NextBuild) {
  const output = fs.openSync(log, 'w', 0o600)
  const child = spawn(process.execPath, [path.join('node_modules', '.bin', 'next'), 'build'], {
    stdio: ['ignore', output, output, lock],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...variables },
    signal,
  })
  offerToSystem(child.pid)
  const [code, ended] = await once(child, 'exit')
  fs.closeSync(output)
  if (code === 0) return
  const words = tail(log)
  // Either Next itself was ended, or its output names the ended worker.
  const [killed] = [ended, ...(/SIG(?:KILL|ABRT)|heap out of memory/.exec(words) ?? [])].filter(Boolean)
  if (killed)
    throw new BuildError(`next build was ended by ${killed}. It needs about 2 GB of memory. Its log: ${log}`)
  throw new BuildError(`next build failed; its last words, all of them in ${log}:\n${words}`)
}

/** Where memory runs out, Linux ends the build and not the start, which can then say so. */
function offerToSystem(pid: number | undefined) {
  const file = `/proc/${pid}/oom_score_adj`
  if (fs.existsSync(file)) fs.writeFileSync(file, '1000')
}

/** The digest covers the names and contents of every file that a build reads, below `root`. Tests are not among them. */
export function digestOf(places: readonly string[], root = '.'): string {
  const hash = crypto.createHash('sha256')
  for (const place of places) {
    if (!fs.existsSync(path.join(root, place))) continue
    const files = fs.statSync(path.join(root, place)).isFile()
      ? [place]
      : fs
          .readdirSync(path.join(root, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
          .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
          .sort()
    for (const file of files)
      hash
        .update(file)
        .update('\0')
        .update(fs.readFileSync(path.join(root, file)))
        .update('\0')
  }
  return hash.digest('hex')
}

const tail = (file: string) => fs.readFileSync(file, 'utf8').trim().split('\n').slice(-15).join('\n')
