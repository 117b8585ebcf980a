import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findChromium } from '../../../bin/chromium.ts'

/**
 * The function runs tests of these files of `e2e/` whose names have one of the words, all by default, on an installation of
 * their own. It answers Playwright's report.
 */
export async function runBrowserTests(
  files: readonly string[],
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<unknown> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-browser-tests-'))
  const report = path.join(folder, 'report.json')
  const only = words.length > 0 ? ['-g', words.join('|')] : []
  const child = spawn(
    process.execPath,
    [
      'node_modules/.bin/playwright',
      'test',
      ...['--config', 'e2e/playwright.config.ts', '--project=pages'],
      ...files,
      ...only,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...variables,
        CHROMIUM_PATH: await findChromium(console.log),
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      },
    },
  )
  await once(child, 'exit')
  const result: unknown = JSON.parse(fs.readFileSync(report, 'utf8'))
  fs.rmSync(folder, { recursive: true })
  return result
}
