import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from '../../bin/build.ts'

export const when = 'Next or what configures the build changed'

/**
 * These files of a build serve only the build and its developer: cache, own programs, times, types, lists of files to copy,
 * and the random keys of Next's draft mode, which no page uses.
 */
const neitherServedNorRead =
  /^((cache|build|diagnostics|types|turbopack)\/|lock$|trace|required-server-files\.|server\/preview-props\.json$|.*\.nft\.json$)/

/** Two builds of the same sources, in this folder and in another place, must be the same to the last byte. */
export default async function proveBuilds() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-builds-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  await build({ logs: folder, say: console.log, signal: new AbortController().signal, once: true })
  const other = path.join(folder, 'another place')
  copyProject(other)
  console.log(`The same again in ${other}`)
  // The copy has no history that names the commit, as an archive has none.
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const { status } = spawnSync(process.execPath, ['bin/command.mjs', 'bin/build-pages.ts'], {
    cwd: other,
    env: { ...process.env, RAMPART_COMMIT: commit },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The copy could not be built')
  const here = filesOf('.next')
  const there = filesOf(path.join(other, '.next'))
  const differing = [...new Set([...here, ...there])].filter(
    (file) => !here.has(file) || !there.has(file) || !isSame(file, other),
  )
  if (differing.length > 0) throw new Error(`These files differ:\n${differing.toSorted().join('\n')}`)
  console.log(`${here.size} files are the same in both`)
}

/** The copy has the present sources, and the packages. */
export function copyProject(to: string) {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', words, { encoding: 'utf8' })
    .split('\0')
    .filter((file) => file && fs.existsSync(file))
  for (const file of files) fs.cpSync(file, path.join(to, file))
  execFileSync('cp', ['-a', 'node_modules', path.join(to, 'node_modules')])
}

function filesOf(folder: string): Set<string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((file) => !neitherServedNorRead.test(file)),
  )
}

function isSame(file: string, other: string): boolean {
  const [one, two] = ['.', other].map((root) => withoutDraftKeys(file, path.join(root, '.next', file)))
  return one !== undefined && two !== undefined && one.equals(two)
}

function withoutDraftKeys(file: string, place: string): Buffer {
  const bytes = fs.readFileSync(place)
  if (file !== 'prerender-manifest.json') return bytes
  return Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString()), preview: null }))
}
