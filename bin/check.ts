import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from './build.ts'
import { findServerCode } from './check/find-server-code.ts'
import { readPlaywrightReport } from './check/playwright-report.ts'
import {
  failedResult,
  formatResult,
  isGood,
  passedResult,
  type Result,
  ResultSchema,
  sumResults,
} from './check/result.ts'
import { reportVariable } from './check/vitest-reporter.ts'
import { findChromium } from './chromium.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

/** Every part of `npm test`, in the order of running; the cheap ones that fail first come first. */
const parts = {
  lint: () => tool('biome', ['check', '--error-on-warnings', '.']),
  types: async () => {
    await makeClient()
    return sumResults([await tool('next', ['typegen']), await tool('tsc', ['--noEmit', '-p', '.'])])
  },
  boundaries: async () => {
    await makeClient()
    return tool('depcruise', [
      '--config',
      '.dependency-cruiser.mjs',
      // With the sentence of each rule that was broken.
      '--output-type',
      'err-long',
      'app',
      'components',
      'lib',
      'sandbox',
      'e2e',
      'bin',
      'bench',
      'resilience',
      'server.ts',
      'projector.ts',
      'live.ts',
    ])
  },
  schema,
  unit: async () => {
    await makeClient()
    return vitest('unit')
  },
  integration: async () => {
    await makeClient()
    return sumResults(await Promise.all([vitest('integration'), vitest('waiting')]))
  },
  build: async () => {
    await generate(false)
    return sumResults([passedResult, browserFilesHoldNoServerCode(), await vitest('built')])
  },
  e2e,
  prove: async () => {
    await generate(false)
    return sumResults([await prove(['kill', '300']), await prove(['faults', 'short'])])
  },
} satisfies Record<string, () => Promise<Result>>

/** These only read the sources, most of them on one processor. */
const atTheSameTime: ReadonlySet<string> = new Set(['lint', 'types', 'boundaries', 'schema'])

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-check-'))
process.once('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
const named = process.argv.slice(2)
const unknown = named.find((name) => !Object.hasOwn(parts, name))
if (unknown) {
  console.error(`There is no part "${unknown}"; there are ${Object.keys(parts).join(', ')}.`)
  process.exit(1)
}

let client: Promise<void> | undefined
const wanted = Object.entries(parts).filter(([name]) => named.length === 0 || named.includes(name))
const results = await Promise.all(wanted.filter(([name]) => atTheSameTime.has(name)).map(runPart))
for (const part of wanted.filter(([name]) => !atTheSameTime.has(name))) {
  console.log(`\n── ${part[0]}`)
  results.push(await runPart(part))
}
const whole = sumResults(results)
console.log(`\n${formatResult(whole)}`)
process.exitCode = isGood(whole) ? 0 : 1

async function runPart([name, run]: [string, () => Promise<Result>]): Promise<Result> {
  const began = Date.now()
  const result = await run().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return failedResult(name, String(error))
  })
  console.log(`── ${name}: ${formatResult(result)}, ${Math.round((Date.now() - began) / 1000)} s`)
  return result
}

/** The database client is made once, although several parts ask for it at the same time. */
function makeClient(): Promise<void> {
  client ??= generate(true)
  return client
}
async function generate(dev: boolean) {
  await build({ dev, logs: scratch, say: console.log, signal: new AbortController().signal })
}

/** One check by a program that answers with its exit code; what it says is shown in one piece at its end. */
async function tool(name: string, words: string[], variables: Record<string, string> = {}): Promise<Result> {
  const child = start(name, words, variables, 'pipe')
  const said: Buffer[] = []
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => said.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(Buffer.concat(said))
  return code === 0 ? passedResult : failedResult(name)
}

function run(name: string, words: string[], variables: Record<string, string>): Promise<number> {
  return codeOf(start(name, words, variables, 'inherit'))
}

function start(
  name: string,
  words: string[],
  variables: Record<string, string>,
  output: 'inherit' | 'pipe',
): ChildProcess {
  return spawn(process.execPath, [path.join('node_modules', '.bin', name), ...words], {
    stdio: ['ignore', output, output],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', CHECKPOINT_DISABLE: '1', ...variables },
  })
}

async function codeOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit')
  return Number(code ?? 1)
}

/** A proof reports the result of its parts before it exits. */
async function prove(words: string[]): Promise<Result> {
  const child = fork('bin/prove.ts', words, { execArgv: ['--import', './bin/hooks.mjs'] })
  let result: Result | undefined
  child.once('message', (message) => {
    result = ResultSchema.parse(message)
  })
  const code = await codeOf(child)
  return result && (code === 0 || result.failed.length > 0)
    ? result
    : failedResult(`prove ${words.join(' ')}`)
}

/** The migrations, applied to an empty database, must give exactly what the schema says. */
async function schema(): Promise<Result> {
  await makeClient()
  const postgres = await startTemporaryPostgres('schema')
  const compared = [
    '--from-migrations',
    'prisma/migrations',
    '--to-schema',
    'prisma/schema.prisma',
    '--exit-code',
  ]
  const result = await tool('prisma', ['migrate', 'diff', ...compared], {
    DATABASE_URL: postgres.url('postgres'),
  })
  await postgres.stop()
  return result
}

function browserFilesHoldNoServerCode(): Result {
  const found = findServerCode('.next/static')
  if (found.length > 0) console.error(`Server code in the browser's files:\n${found.join('\n')}`)
  return found.length === 0 ? passedResult : failedResult(`server code in the browser's files`)
}

async function vitest(project: string): Promise<Result> {
  const report = path.join(scratch, `${project}.json`)
  const reporters = ['--reporter=default', '--reporter=./bin/check/vitest-reporter.ts']
  await run('vitest', ['run', '--project', project, ...reporters], { [reportVariable]: report })
  return ResultSchema.parse(readJson(report))
}

async function e2e(): Promise<Result> {
  await generate(false)
  const browser = await findChromium(console.log)
  return sumResults(await Promise.all(['playwright', 'apart'].map((config) => browserTests(config, browser))))
}

async function browserTests(config: string, browser: string): Promise<Result> {
  const report = path.join(scratch, `e2e-${config}.json`)
  await run('playwright', ['test', '--config', `e2e/${config}.config.ts`], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  })
  return readPlaywrightReport(readJson(report))
}

function readJson(file: string): unknown {
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}
