import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Result, readAnnotations, readPlaywrightReport } from '../../bin/check/result.ts'
import { findChromium } from '../../bin/chromium.ts'
import { widthsVariable } from '../../e2e/screens.ts'
import { reachedByKeyboard } from '../../e2e/tab-stops.ts'

export const when =
  "a component, a page's layout or a style that several pages share changed; `npm test` looks at two widths"

const everyWidth = ['360', '768', '1280', '1440', '1920', '2560']

/**
 * The proof checks each page of `e2e/pages.spec.ts` in each state, with customers' pages in German too: light, dark, with
 * large text and reduced motion. axe finds nothing, nothing is cut off or shifts, the console is silent, and the keyboard
 * reaches everything.
 * @param words widths in pixels, all by default; names of states, or parts of them, all by default
 */
export default async function runScreens(words: string[]): Promise<Result> {
  const widths = words.filter((word) => /^\d+$/.test(word))
  const names = words.filter((word) => !/^\d+$/.test(word))
  const report = await runBrowserTests(['pages.spec.ts', 'languages.spec.ts'], names, {
    [widthsVariable]: (widths.length > 0 ? widths : everyWidth).join(' '),
  })
  const walks = readAnnotations(report, reachedByKeyboard)
  const controls = walks.reduce((sum, { noted }) => sum + Number(noted), 0)
  const states = new Set(walks.map(({ title }) => title)).size
  console.log(
    `${controls} controls ${reachedByKeyboard} in ${states} states, at all widths in ${walks.length} walks`,
  )
  return readPlaywrightReport(report)
}

/**
 * The function runs tests of these files of `e2e/` whose names have one of the words, all by default, on an installation of
 * their own. It answers Playwright's report.
 */
async function runBrowserTests(
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
