import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * The function unpacks Debian packages, with missing dependencies, below node_modules. It installs nothing and does not need
 * root.
 * @returns the folder that holds their `usr`; null where there is no apt or nothing can be fetched
 */
export async function unpackDebianPackages(...names: string[]): Promise<string | null> {
  const folder = path.resolve('node_modules/.cache/debian', names.join('-'))
  if (fs.existsSync(folder)) return folder
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  const scratch = fs.mkdtempSync(`${folder}.`)
  try {
    await fetchPackages(scratch, names)
    const unpacked = path.join(scratch, 'unpacked')
    for (const file of fs.globSync(path.join(scratch, 'archives', '*.deb')))
      await run('dpkg-deb', ['--extract', file, unpacked], { timeout })
    fs.renameSync(unpacked, folder)
    return folder
  } catch {
    return fs.existsSync(folder) ? folder : null
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** Programs of unpacked packages find their libraries by this value of `LD_LIBRARY_PATH`. */
export const librariesOf = (folder: string): string =>
  fs.globSync(path.join(folder, '{,usr/}lib/*-linux-gnu')).join(':')

/** apt uses lists and archives of its own here, and reads from the system what is installed. */
async function fetchPackages(scratch: string, names: string[]) {
  for (const inside of ['lists/partial', 'archives/partial'])
    fs.mkdirSync(path.join(scratch, inside), { recursive: true })
  const settings = [
    `Dir::State=${scratch}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${scratch}`,
    'Debug::NoLocking=true',
    // When root runs it, apt would fetch as another user without access to this folder.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=0',
    'Acquire::http::Timeout=10',
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...settings, 'update'], { timeout })
  const words = ['install', '--yes', '--download-only', '--no-install-recommends', ...names]
  await run('apt-get', [...settings, ...words], { timeout })
}

const run = promisify(execFile)

/** One step may take this many milliseconds. */
const timeout = 40_000
