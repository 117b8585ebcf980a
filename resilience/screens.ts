import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readPlaywrightReport } from '../bin/check/playwright-report.ts'
import type { Result } from '../bin/check/result.ts'
import { findChromium } from '../bin/chromium.ts'
import { widthsVariable } from '../e2e/screens.ts'

const everyWidth = ['360', '768', '1280', '1440', '1920', '2560']

/**
 * Looks at each page of `e2e/pages.spec.ts` in each of its states, and at customers' pages in German too: light, dark, with
 * text of twice the size and for somebody who wants no movement. Nothing that axe finds, nothing cut off, nothing that shifts,
 * no message of the console.
 * @param words widths in pixels, all by default; names of states, or parts of them, all by default
 */
export default async function runScreens(words: string[]): Promise<Result> {
  const widths = words.filter((word) => /^\d+$/.test(word))
  const names = words.filter((word) => !/^\d+$/.test(word))
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-screens-'))
  const report = path.join(folder, 'report.json')
  const only = names.length > 0 ? ['-g', names.join('|')] : []
  const child = spawn(
    process.execPath,
    [
      'node_modules/.bin/playwright',
      'test',
      ...['--config', 'e2e/playwright.config.ts', '--project=pages'],
      ...['pages.spec.ts', 'languages.spec.ts', ...only],
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        [widthsVariable]: (widths.length > 0 ? widths : everyWidth).join(' '),
        CHROMIUM_PATH: await findChromium(console.log),
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      },
    },
  )
  await once(child, 'exit')
  const result = readPlaywrightReport(JSON.parse(fs.readFileSync(report, 'utf8')))
  fs.rmSync(folder, { recursive: true })
  return result
}
