import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'

const root = path.dirname(import.meta.dirname)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-boundaries-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** One planted violation of each rule: the rule, the file, what it says. */
const planted: [rule: string, file: string, text: string][] = [
  ['domain-is-pure', 'lib/domain/clock.ts', `import fs from 'node:fs'\nexport const read = fs.readFileSync`],
  [
    'client-is-thin',
    'lib/service/framework.ts',
    `import 'server-only'\nexport { cookies } from 'next/headers'`,
  ],
  ['ingest-steps-apart', 'lib/ingest/verify.ts', `import 'server-only'\nexport { store } from './store.ts'`],
  [
    'ingest-stands-alone',
    'lib/ingest/notify.ts',
    `import 'server-only'\nexport { call } from '../service/call.ts'`,
  ],
  ['pages-use-use-cases', 'app/page.tsx', `export { pool as default } from '#lib/db/pool.ts'`],
  ['components-stay-in-the-browser', 'components/table.tsx', `export { pool } from '#lib/db/pool.ts'`],
  [
    'no-framework-in-lib',
    'lib/team/invite.ts',
    `import 'server-only'\nexport { redirect } from 'next/navigation'`,
  ],
  ['sandbox-knows-no-dashboard', 'sandbox/fake.ts', `export { call } from '../lib/service/call.ts'`],
  [
    'dashboard-knows-no-sandbox',
    'lib/demo/peek.ts',
    `import 'server-only'\nexport { real } from '../../sandbox/real.ts'`,
  ],
  ['browser-tests-stay-outside', 'e2e/sign-in.spec.ts', `export { pool } from '../lib/db/pool.ts'`],
  ['no-cycles', 'lib/team/a.ts', `import 'server-only'\nimport './b.ts'\nexport const a = 1`],
  ['lib-is-server-only', 'lib/users/unmarked.ts', 'export const unmarked = 1'],
]

/** What the violations need around them, and what the rules must let pass. */
const innocent: Record<string, string> = {
  'lib/domain/steps.ts': 'export type Step = string',
  'lib/service/call.ts': `import 'server-only'\nimport { z } from 'zod'\nimport type { Step } from '../domain/steps.ts'\nexport const call = (step: Step) => z.string().parse(step)`,
  'lib/ingest/store.ts': `import 'server-only'\nexport { pool as store } from '../db/pool.ts'`,
  'lib/db/pool.ts': `import 'server-only'\nexport const pool = 1\nexport type Row = string`,
  'lib/team/b.ts': `import 'server-only'\nimport './a.ts'`,
  'lib/log/create-log.ts': 'export const createLog = 1',
  'sandbox/log.ts': `export { createLog } from '../lib/log/create-log.ts'`,
  'sandbox/real.ts': 'export const real = 1',
  'sandbox/conformance/both.ts': `export { call } from '../../lib/service/call.ts'\nexport { real } from '../real.ts'`,
  'components/row.tsx': `import type { Row } from '#lib/db/pool.ts'\nexport const row = (value: Row) => value`,
}

const Report = z.object({
  summary: z.object({
    totalCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
})

function cruise(): { rule: string; file: string }[] {
  for (const [file, text] of [...planted.map(([, ...rest]) => rest), ...Object.entries(innocent)]) {
    const target = path.join(folder, file ?? '')
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text ?? '')
  }
  for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs', 'node_modules'])
    fs.symlinkSync(path.join(root, name), path.join(folder, name))
  const words = [
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
    'app',
    'components',
    'e2e',
    'lib',
    'sandbox',
  ]
  const { stdout } = spawnSync(process.execPath, [path.join(root, 'node_modules/.bin/depcruise'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  })
  const { violations } = Report.parse(JSON.parse(stdout)).summary
  return violations.map(({ rule, from }) => ({ rule: rule.name, file: from }))
}

const found = cruise()

test.each(planted)('%s catches %s', (rule, file) => {
  expect(found).toContainEqual({ rule, file })
})

test('nothing else is caught', () => {
  const expected = new Set([...planted.map(([, file]) => file), 'lib/team/b.ts'])
  expect(found.filter(({ file }) => !expected.has(file))).toEqual([])
})
