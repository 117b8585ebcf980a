import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { chromium } from '@playwright/test'

/**
 * The function finds a Chromium for the browser tests that runs here. Without `CHROMIUM_PATH` it prefers one that is built
 * for headless work, the system's or the one inside an npm package, because that takes 40 % less of the processor. Then it
 * tries the system's, Playwright's own, and Playwright's installer.
 * @returns the path of its executable; throws when none can be had
 */
export async function findChromium(say: (line: string) => void): Promise<string> {
  for (const [where, find] of Object.entries(sources)) {
    const found = await find()
    if (!found || !runs(found)) continue
    say(`Browser: ${found} (${where})`)
    return found
  }
  throw new Error(
    'No Chromium found that runs here: the one that npm brings needs x64 and glibc 2.34, as Debian 12 has. Install one, or set CHROMIUM_PATH to its executable.',
  )
}

const sources: Record<string, () => string | undefined | Promise<string | undefined>> = {
  CHROMIUM_PATH: () => process.env.CHROMIUM_PATH,
  'the system, headless': () => onPath(['chromium-headless-shell']),
  'the npm package @sparticuz/chromium': unpackChromium,
  'the system': () => onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
  Playwright: () => chromium.executablePath(),
  "Playwright's installer": () => {
    const words = ['node_modules/.bin/playwright', 'install', 'chromium']
    spawnSync(process.execPath, words, { stdio: 'inherit', timeout: 300_000 })
    return chromium.executablePath()
  },
}

/** A browser that lacks a library, or is for another machine, cannot even print its version. */
const runs = (file: string) => spawnSync(file, ['--version'], { timeout: 30_000 }).status === 0

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
}

/**
 * The function unpacks the Chromium inside `@sparticuz/chromium`, with the shared libraries and fonts beside it that a bare
 * system lacks.
 * @returns a script that starts it with them; undefined where the package has none for this machine
 */
async function unpackChromium(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = path.resolve('node_modules/.cache/chromium')
  const script = path.join(folder, 'chromium.sh')
  if (fs.existsSync(script)) return script
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const archives = path.join(
    path.dirname(createRequire(import.meta.url).resolve(chromiumPackage)),
    '..',
    'bin',
  )
  const { inflate } = await import(chromiumPackage)
  const { TMPDIR } = process.env
  // The package unpacks into the directory for temporary files, and uses whatever is already there.
  process.env.TMPDIR = folder
  for (const archive of ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br'])
    await inflate(path.join(archives, archive))
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  fs.writeFileSync(path.join(folder, 'fonts', 'fonts.conf'), fontsIn(folder))
  // The script is written last, because it shows that the rest is there.
  fs.writeFileSync(script, startIn(folder), { mode: 0o755 })
  return script
}

const chromiumPackage = '@sparticuz/chromium'

const startIn = (folder: string) => `#!/bin/sh
export LD_LIBRARY_PATH='${folder}/al2023/lib' FONTCONFIG_PATH='${folder}/fonts'
exec '${folder}/chromium' "$@"
`

const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts/cache</cachedir>
</fontconfig>
`
