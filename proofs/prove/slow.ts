import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from '../../bin/build.ts'
import { type Result, ResultSchema, readPlaywrightReport, sumResults } from '../../bin/check/result.ts'
import { reportVariable } from '../../bin/check/vitest-reporter.ts'
import { findChromium } from '../../bin/chromium.ts'

export const when = 'before a release, and when you changed such a test or what it names'

/**
 * The proof runs the tests that are too slow for `npm test`: files `….slow.test.ts`, and browser tests with the tag `@slow`.
 * @param names parts of files' names, all by default
 */
export default async function runSlowTests(names: string[]): Promise<Result> {
  await build({ logs: os.tmpdir(), say: console.log, signal: new AbortController().signal })
  const inNode = await runVitest(['--project=slow', '--passWithNoTests', ...names])
  const inBrowser = await runBrowserTests('slow', ['--pass-with-no-tests', ...names])
  return sumResults([inNode, readPlaywrightReport(inBrowser)])
}

async function runVitest(words: readonly string[]): Promise<Result> {
  const reporters = ['--reporter=default', '--reporter=./bin/check/vitest-reporter.ts']
  return ResultSchema.parse(await run('vitest', ['run', ...reporters, ...words], reportVariable))
}

/**
 * The browser tests run on an installation of their own.
 * @param config `e2e/CONFIG.config.ts`
 * @param words go to Playwright
 * @returns Playwright's report
 */
export async function runBrowserTests(
  config: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const browser = { CHROMIUM_PATH: await findChromium(console.log) }
  const all = ['test', '--config', `e2e/${config}.config.ts`, ...words]
  return run('playwright', all, 'PLAYWRIGHT_JSON_OUTPUT_NAME', { ...browser, ...variables })
}

/** @param reportName the program writes its report into the file that this variable names */
async function run(
  program: string,
  words: readonly string[],
  reportName: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-slow-tests-'))
  const report = path.join(folder, 'report.json')
  const child = spawn(process.execPath, [path.join('node_modules/.bin', program), ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...variables, [reportName]: report },
  })
  await once(child, 'exit')
  const result: unknown = JSON.parse(fs.readFileSync(report, 'utf8'))
  fs.rmSync(folder, { recursive: true })
  return result
}
