import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'

/**
 * A newcomer follows the lists of CONTRIBUTING.md and forgets all but the beginning. The test makes these changes in a copy
 * and expects each check that a list names to fail at the place that the list names.
 */
const root = path.dirname(import.meta.dirname)
const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-lists-'))
afterAll(() => fs.rmSync(copy, { recursive: true }))

interface Step {
  readonly list: string
  readonly files: readonly string[]
  readonly check: string
}

const text = fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
const lists = ['An event type', 'A table', 'A use case', 'A page']
const steps = lists.flatMap((list): Step[] => {
  const [, rest = ''] = text.split(`\n## ${list}\n`)
  const rows = (rest.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(1).map((row) => {
    const [places = '', , check = ''] = row.slice(2, -1).split(' | ')
    const files = [...places.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
    return { list, files, check: check.trim() }
  })
})

/** Each planted text makes one change, and no other place follows it. */
const replaced: readonly (readonly [file: string, before: string, after: string])[] = [
  ['sandbox/state/event-types.ts', "  'otpNotification',", "  'otpNotification',\n  'walletThawed',"],
  ['lib/audit/record-audit.ts', "  | 'gap.close'", "  | 'gap.close'\n  | 'wallet.freeze'"],
  [
    'test/entries.ts',
    "  '(staff)/gaps/page.tsx':",
    "  '(staff)/thaws/page.tsx': ['see-everything', '/thaws'],\n$&",
  ],
  ['components/operations/shell/places.ts', "  | '/settings'", "  | '/settings'\n  | '/frozen-wallets'"],
  ['docs/retention.md', '\n| `answer_lost` |', '\n| `thaw` | 30 days | its end | It is read soon. |$&'],
  [
    'prisma/schema/timeline.prisma',
    '\nmodel ',
    '\nmodel FrozenWallet {\n  id String @id\n\n  @@map("frozen_wallet")\n}\n$&',
  ],
]
/** Modules that lack the type cannot be loaded, and the tests of the other lists load them. */
const newType = [
  'lib/deliveries/rules/event-types.ts',
  "  'otpNotification',",
  "  'otpNotification',\n  'walletFrozen',",
] as const
const page = 'app/(staff)/frozen-wallets/page.tsx'
const form = 'components/endpoints/freeze-wallet.tsx'
const useCase = 'lib/endpoints/freeze-wallet.ts'
const written: Readonly<Record<string, string>> = {
  [page]: `export { pool as default } from '#lib/platform/db/pool.ts'`,
  [form]: `export { pool as form } from '#lib/platform/db/pool.ts'`,
  [useCase]: 'export const freezeWallet = () => null',
  'app/(staff)/frozen-wallets/actions.ts': `'use server'\n\nexport const freezeWalletAction = action()\n`,
}

function makeCopy() {
  const made = fs.readFileSync(path.join(root, '.gitignore'), 'utf8').match(/^[^*\n]+(?=\/$)/gm) ?? []
  fs.cpSync(root, copy, {
    recursive: true,
    filter: (file) => !['.git', 'node_modules', ...made].includes(path.basename(file)),
  })
  fs.cpSync(path.join(root, 'lib/platform/db/generated'), path.join(copy, 'lib/platform/db/generated'), {
    recursive: true,
  })
  for (const folder of ['node_modules', 'proofs/node_modules'])
    if (fs.existsSync(path.join(root, folder)))
      fs.symlinkSync(path.join(root, folder), path.join(copy, folder))
  for (const change of replaced) replace(...change)
  for (const [file, content] of Object.entries(written)) {
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    fs.writeFileSync(path.join(copy, file), content)
  }
}

function replace(file: string, before: string, after: string) {
  const original = fs.readFileSync(path.join(copy, file), 'utf8')
  if (!original.includes(before)) throw new Error(`${file} no longer has ${before}`)
  fs.writeFileSync(path.join(copy, file), original.replace(before, after))
}

async function outputOf(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, words, {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', CHECKPOINT_DISABLE: '1', VITEST: '' },
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  await once(child, 'close')
  return Buffer.concat(output).toString()
}

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})
const Cruise = z.object({
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
})

const namedTest = /^unit: \[`[^`]+`\]\(([^)]+)\) “([^”]+)”$/

/** The unit tests that the lists name run in the copy; the result has those that failed, each after its file. */
async function failedTests(...names: string[]): Promise<string[]> {
  const checks = steps.filter(({ list }) => names.includes(list)).map(({ check }) => check)
  const files = new Set(checks.flatMap((check) => namedTest.exec(check)?.[1] ?? []))
  const report = path.join(copy, 'unit.json')
  const words = ['run', '--project', 'unit', '--reporter=json', `--outputFile=${report}`, ...files]
  await outputOf(`${bin}/vitest`, ...words)
  return Report.parse(JSON.parse(fs.readFileSync(report, 'utf8'))).testResults.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${path.relative(copy, file.name)}: ${fullName}`),
  )
}

const bin = 'node_modules/.bin'
makeCopy()
const [failedLater, boundaries, schema] = await Promise.all([
  failedTests('A table', 'A use case', 'A page'),
  outputOf(
    ...[`${bin}/depcruise`, '--config', '.dependency-cruiser.mjs', '--output-type', 'json'],
    ...['--max-depth', '1', page, form, useCase],
  ),
  outputOf('--import', './bin/hooks.mjs', 'bin/check.ts', 'schema'),
])
replace(...newType)
// These files and what they import are a part of all.
const listed = steps.filter(({ check }) => check === 'types').flatMap(({ files }) => files)
fs.writeFileSync(
  path.join(copy, 'listed.json'),
  JSON.stringify({ extends: './tsconfig.json', files: listed, include: [] }),
)
const [failedFirst, types] = await Promise.all([
  failedTests('An event type'),
  outputOf('node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'listed.json'),
])
const failed = [...failedFirst, ...failedLater]
const { violations } = Cruise.parse(JSON.parse(boundaries)).summary

test('every list has steps, and most of them a check', () => {
  for (const list of lists)
    expect(steps.filter((step) => step.list === list && step.check).length).toBeGreaterThan(3)
})

test('every file in a list exists', () => {
  const files = steps.flatMap((step) => [...step.files, ...(namedTest.exec(step.check)?.slice(1, 2) ?? [])])
  expect(files.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([])
})

test.each(steps.filter(({ check }) => check))('$list: $files is asked for by $check', ({ files, check }) => {
  const [, testFile, title] = namedTest.exec(check) ?? []
  const [, rule] = /^boundaries: `([\w-]+)`$/.exec(check) ?? []
  if (check === 'types') for (const file of files) expect(`\n${types}`).toContain(`\n${file}(`)
  else if (check === 'schema')
    expect(schema).toMatch(/frozen_wallet[\s\S]*npm run client|npm run client[\s\S]*frozen_wallet/)
  else if (rule) expect(violations.map(({ rule }) => rule.name)).toContain(rule)
  else {
    expect(title, check).toBeDefined()
    const wanted = (title ?? '').replace('%s', files[0] ?? '')
    expect(failed.filter((one) => one.startsWith(`${testFile}: `) && one.includes(wanted))).not.toEqual([])
  }
})
