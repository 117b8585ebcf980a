import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { z } from 'zod'
import { build, digestOf } from './build.ts'
import { type Extent, findAffected, type Part } from './check/affected.ts'
import { findServerCode } from './check/find-server-code.ts'
import {
  failedResult,
  formatMessages,
  formatResult,
  isGood,
  passedResult,
  type Result,
  ResultSchema,
  readPlaywrightReport,
  sumResults,
} from './check/result.ts'
import { findStatementFaults, recordingOf } from './check/statements.ts'
import { reportVariable } from './check/vitest-reporter.ts'
import { findChromium } from './chromium.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

const parts: Readonly<Record<Part, () => Promise<Result>>> = {
  lint: () => tool('biome', ['check', '--error-on-warnings', '.']),
  types: async () => {
    const compiler = '../typescript-7/bin/tsc'
    return sumResults([await tool('next', ['typegen']), await tool(compiler, ['--noEmit', '-p', '.'])])
  },
  boundaries: () => {
    const sources = ['app', 'components', 'lib', 'sandbox', 'e2e', 'bin', 'proofs']
    const programs = ['server.ts', 'projector.ts', 'live.ts']
    // The output has the sentence of each broken rule.
    const words = ['--config', '.dependency-cruiser.mjs', '--output-type', 'err-long']
    return tool('depcruise', [...words, ...sources, ...programs])
  },
  schema: async () => sumResults([await clientIsMadeFromSchema(), await migrationsGiveSchema()]),
  unit: () => vitest('unit', 'unit'),
  integration: async () => {
    const files = affected.integration === 'importers' ? await importersOf(since) : []
    const folder = path.join(scratch, 'statements')
    fs.mkdirSync(folder)
    const tested = await vitest('integration', 'integration', files, recordingOf(folder))
    return sumResults([tested, statementsHaveTheirTypes(folder, files.length === 0)])
  },
  build: async () => {
    await buildPages()
    return sumResults([passedResult, browserFilesHoldNoServerCode()])
  },
  built: async () => {
    await buildPages()
    return vitest('built', 'built')
  },
  e2e,
  prove: async () => {
    await buildPages()
    return sumResults(await Promise.all(['faults', 'packaging'].map((name) => prove([name, 'short']))))
  },
}

/**
 * A part waits for the parts in its list. A part that keeps two processors busy runs alone, because it would be slow beside
 * others and its waits would time out.
 */
const after: Readonly<Record<Part, readonly Part[]>> = {
  build: [],
  lint: [],
  boundaries: [],
  schema: [],
  // Both parts write below `.next`.
  types: ['build'],
  // Both parts wait for servers and for time to pass.
  unit: ['build'],
  built: ['build', 'lint', 'boundaries', 'schema'],
  integration: ['built', 'unit', 'types'],
  prove: ['integration'],
  e2e: ['prove'],
}

/** The file has the seconds of each part of the last whole run, and of the run itself, for `npm run figures`. */
const lastRunFile = 'test-results/npm-test.json'
const secondsSince = (began: number) => Math.round((Date.now() - began) / 1_000)
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-check-'))
process.once('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

// Without a word every part runs, and with names these parts. `changed COMMIT` runs what the changes since it, HEAD by
// default, can affect.
const [first, ...others] = process.argv.slice(2)
const since = first === 'changed' ? (others[0] ?? 'HEAD') : undefined
const affected: Partial<Record<Part, Extent>> = since === undefined ? {} : findAffected(changedSince(since))
const named = first === undefined || since !== undefined ? Object.keys(parts) : [first, ...others]
const unknown = named.find((name) => !Object.hasOwn(parts, name))
if (unknown) {
  console.error(`There is no part "${unknown}"; there are ${Object.keys(parts).join(', ')}.`)
  process.exit(1)
}

const began = Date.now()
const secondsOf: Record<string, number> = {}
const results = new Map<Part, Promise<Result[]>>()
for (const [name, earlier] of Object.entries(after) as [Part, readonly Part[]][]) {
  const ready = Promise.all(earlier.map((one) => results.get(one)))
  const wanted = named.includes(name) && affected[name] !== 'none'
  results.set(
    name,
    ready.then(async () => (wanted ? [await runPart(name)] : [])),
  )
}
const whole = sumResults((await Promise.all(results.values())).flat())
showSlowest(whole)
if (whole.messages.length > 0)
  console.log(`\nWhat failed, also at a first try, in full:\n\n${formatMessages(whole)}`)
const all = secondsSince(began)
console.log(`\n${all} s`)
if (first === undefined) {
  fs.mkdirSync(path.dirname(lastRunFile), { recursive: true })
  fs.writeFileSync(lastRunFile, JSON.stringify({ ...secondsOf, all }))
}
console.log(formatResult(whole))
process.exitCode = isGood(whole) ? 0 : 1

async function runPart(name: Part): Promise<Result> {
  const began = Date.now()
  const result = await parts[name]().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return failedResult(name, error)
  })
  secondsOf[name] = secondsSince(began)
  console.log(`── ${name}: ${formatResult(result)}, ${secondsOf[name]} s`)
  return result
}

function showSlowest({ files }: Result) {
  if (files.length === 0) return
  console.log('\nThe slowest files, in seconds:')
  for (const { file, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10))
    console.log(`${seconds.toFixed(1).padStart(8)}  ${file}`)
}

async function buildPages() {
  await build({ logs: scratch, say: console.log, signal: new AbortController().signal })
}

/** The check is a program that answers with its exit code. Its output appears in one piece at its end. */
async function tool(name: string, words: string[], variables: Record<string, string> = {}): Promise<Result> {
  const child = start(name, words, variables)
  const said: Buffer[] = []
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => said.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(Buffer.concat(said))
  return code === 0 ? passedResult : failedResult(name)
}

/** Each output line of a part begins with the part's name, since others run beside it. */
async function show(part: Part, child: ChildProcess): Promise<number> {
  for (const output of [child.stdout, child.stderr])
    if (output)
      readline.createInterface({ input: output }).on('line', (line) => console.log(`${part}  ${line}`))
  const [code] = await once(child, 'close')
  return Number(code ?? 1)
}

/** @param program in `node_modules/.bin`, or its path from there */
function start(program: string, words: string[], variables: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [path.join('node_modules', '.bin', program), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', CHECKPOINT_DISABLE: '1', ...variables },
  })
}

/** A proof reports the result of its parts before it exits. */
async function prove(words: string[]): Promise<Result> {
  const child = fork('proofs/prove.ts', words, { execArgv: ['--import', './bin/hooks.mjs'], silent: true })
  let result: Result | undefined
  child.once('message', (message) => {
    result = ResultSchema.parse(message)
  })
  const code = await show('prove', child)
  return result && (code === 0 || result.failed.length > 0)
    ? result
    : failedResult(`prove ${words.join(' ')}`)
}

/** The repository contains the client, so that a start needs neither Prisma's tools nor their time. Decision 0110. */
async function clientIsMadeFromSchema(): Promise<Result> {
  const folder = path.join(scratch, 'client')
  const schema = path.join(folder, 'prisma', 'schema')
  fs.cpSync('prisma/schema', schema, { recursive: true })
  const made = await tool('prisma', ['generate', '--no-hints', '--schema', schema])
  if (!isGood(made)) return made
  const client = 'lib/platform/db/generated'
  if (digestOf([client]) === digestOf([client], folder)) return passedResult
  console.error(`${client} is not made from prisma/schema. Make it again: npm run client`)
  return failedResult('the database client is made from the schema')
}

/** The migrations, applied to an empty database, must give exactly the schema. */
async function migrationsGiveSchema(): Promise<Result> {
  const postgres = await startTemporaryPostgres('schema', ['fsync=off'])
  const compared = ['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema', '--exit-code']
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

/** @param whole whether all integration tests ran */
function statementsHaveTheirTypes(folder: string, whole: boolean): Result {
  const faults = findStatementFaults(process.cwd(), folder, whole)
  if (faults.length > 0) console.error(`The declared rows of statements are wrong:\n${faults.join('\n')}`)
  return faults.length === 0
    ? passedResult
    : failedResult('statements have their declared types', faults.join('\n'))
}

/** @param files of the project's tests; all of them by default */
async function vitest(
  part: Part,
  project: string,
  files: readonly string[] = [],
  variables: Record<string, string> = {},
): Promise<Result> {
  const report = path.join(scratch, `${project}.json`)
  const reporters = ['--reporter=default', '--reporter=./bin/check/vitest-reporter.ts']
  const words = ['run', '--project', project, ...reporters, ...files]
  await show(part, start('vitest', words, { [reportVariable]: report, ...variables }))
  return ResultSchema.parse(readJson(report))
}

async function e2e(): Promise<Result> {
  await buildPages()
  const browser = await findChromium(console.log)
  return sumResults(await Promise.all(['playwright', 'apart'].map((config) => browserTests(config, browser))))
}

async function browserTests(config: string, browser: string): Promise<Result> {
  const report = path.join(scratch, `e2e-${config}.json`)
  const onlyChanged = affected.e2e === 'importers' ? [`--only-changed=${since}`, '--pass-with-no-tests'] : []
  const words = ['test', '--config', `e2e/${config}.config.ts`, ...onlyChanged]
  await show(
    'e2e',
    start('playwright', words, { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report }),
  )
  return readPlaywrightReport(readJson(report))
}

/** The files are tracked ones that differ from the commit, and new ones. */
function changedSince(commit: string): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8' }).split('\0').filter(Boolean)
  return [
    ...git('diff', '--name-only', '-z', commit),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ]
}

/** These integration tests import what differs from the commit, or read the sources as text. */
async function importersOf(commit = 'HEAD'): Promise<string[]> {
  const list = path.join(scratch, 'importers.json')
  const words = ['list', '--project', 'integration', '--filesOnly', `--changed=${commit}`, `--json=${list}`]
  await show('integration', start('vitest', words, {}))
  const found = z.array(z.object({ file: z.string() })).parse(readJson(list))
  return [
    ...found.map(({ file }) => file),
    'test/boundaries.process.test.ts',
    'test/commands.process.test.ts',
  ]
}

function readJson(file: string): unknown {
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}
