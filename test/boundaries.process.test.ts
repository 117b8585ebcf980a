import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { areas, pure } from '../boundaries.mjs'

const root = path.dirname(import.meta.dirname)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-boundaries-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Each planted file breaks one kind of rule. An entry has the rule, the file and its text. */
const planted: [rule: string, file: string, text: string][] = [
  [
    'rules-are-pure',
    'lib/deliveries/rules/clock.ts',
    `import fs from 'node:fs'\nexport const read = fs.readFileSync`,
  ],
  ['rules-are-pure', 'lib/timeline/rules/worded.ts', `export { stepLabel } from '../labels/steps.ts'`],
  ['labels-are-pure', 'lib/words/labels/read.ts', `export { pool } from '#lib/platform/db/pool.ts'`],
  [
    'service packages',
    'lib/service/framework.ts',
    `import 'server-only'\nexport { cookies } from 'next/headers'`,
  ],
  [
    'ingest-steps-apart',
    'lib/deliveries/ingest/verify-secret.ts',
    `import 'server-only'\nexport { store } from './store.ts'`,
  ],
  [
    'deliveries imports',
    'lib/deliveries/ingest/notify.ts',
    `import 'server-only'\nexport { a } from '#lib/identity/a.ts'`,
  ],
  ['file-has-an-area', 'lib/invoices/list.ts', `import 'server-only'\nexport const list = 1`],
  ['file-has-an-area', 'components/box.tsx', `export { row as box } from './ui/row.tsx'`],
  ['pages-use-use-cases', 'app/page.tsx', `export { pool as default } from '#lib/platform/db/pool.ts'`],
  [
    'components-stay-in-the-browser',
    'components/ui/table.tsx',
    `export { pool } from '#lib/platform/db/pool.ts'`,
  ],
  [
    'access packages',
    'lib/access/invite.ts',
    `import 'server-only'\nexport { redirect } from 'next/navigation'`,
  ],
  ['sandbox-knows-no-dashboard', 'sandbox/fake.ts', `export { call } from '../lib/service/call.ts'`],
  ['sandbox-stands-alone', 'sandbox/alone.ts', `export { startPostgres } from '../bin/postgres.ts'`],
  ['packages-are-listed', 'sandbox/pictures.ts', `export { Camera } from 'lucide-react'`],
  ['packages-are-listed', 'sandbox/answers.ts', `export { Ajv2020 } from 'ajv/dist/2020.js'`],
  ['packages-are-listed', 'app/page-of-sandbox.tsx', `export { html } from 'hono/html'`],
  [
    'dashboard-knows-no-sandbox',
    'lib/operations/demo/peek.ts',
    `import 'server-only'\nexport { real } from '../../../sandbox/real.ts'`,
  ],
  ['browser-tests-stay-outside', 'e2e/sign-in.spec.ts', `export { pool } from '../lib/platform/db/pool.ts'`],
  ['no-cycles', 'lib/identity/a.ts', `import 'server-only'\nimport './b.ts'\nexport const a = 1`],
  ['no-folder-cycles', 'sandbox/one/a.ts', `export { two } from '../two/b.ts'\nexport const one = 1`],
  ['platform shows', 'components/ui/fact.ts', `export { two } from '../audit/b.ts'`],
  ['audit shows', 'components/audit/person.ts', `export { person } from '#components/people/person.ts'`],
  ['lib-is-server-only', 'lib/people/unmarked.ts', 'export const unmarked = 1'],
]

/** The planted violations need these files, and the rules must allow them. */
const innocent: Record<string, string> = {
  'lib/deliveries/rules/steps.ts': 'export type Step = string',
  'lib/timeline/labels/steps.ts': `import type { Step } from '#lib/deliveries/rules/steps.ts'\nexport const stepLabel = (step: Step) => step`,
  'lib/timeline/rules/fold.ts': `export type { Step } from '#lib/deliveries/rules/steps.ts'`,
  'sandbox/two/b.ts': 'export const two = 2',
  'sandbox/two/c.ts': `export { one } from '../one/a.ts'`,
  'components/audit/b.ts': `export { row } from '#components/ui/row.tsx'\nexport const two = 2`,
  'components/people/person.ts': `export { two as person } from '#components/audit/b.ts'`,
  'lib/service/call.ts': `import 'server-only'\nimport { z } from 'zod'\nexport const call = (step: string) => z.string().parse(step)`,
  'lib/deliveries/ingest/store.ts': `import 'server-only'\nexport { pool as store } from '#lib/platform/db/pool.ts'`,
  'lib/platform/db/pool.ts': `import 'server-only'\nimport { stepLabel } from '#lib/timeline/labels/steps.ts'\nexport const pool = stepLabel('')\nexport type Row = string`,
  'lib/identity/b.ts': `import 'server-only'\nimport './a.ts'`,
  'bin/postgres.ts': 'export const startPostgres = 1',
  'sandbox/real.ts': `import { Hono } from 'hono'\nimport { html } from 'hono/html'\nexport const real = [new Hono(), html]`,
  'sandbox/real.test.ts': `export { startPostgres } from '../bin/postgres.ts'\nexport { Ajv2020 } from 'ajv/dist/2020.js'`,
  'proofs/conformance/both.ts': `export { call } from '../../lib/service/call.ts'\nexport { real } from '../../sandbox/real.ts'`,
  'components/ui/row.tsx': `import type { Row } from '#lib/platform/db/pool.ts'\nexport const row = (value: Row) => value`,
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
  for (const name of [
    'package.json',
    'sandbox/package.json',
    'tsconfig.json',
    '.dependency-cruiser.mjs',
    'boundaries.mjs',
    'node_modules',
  ])
    fs.symlinkSync(path.join(root, name), path.join(folder, name))
  const words = [
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
    'app',
    'bin',
    'components',
    'e2e',
    'lib',
    'proofs',
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
  expect(found).toContainEqual({ rule, file: rule === 'no-folder-cycles' ? path.dirname(file) : file })
})

test('nothing else is caught', () => {
  const expected = new Set([
    ...planted.map(([, file]) => file),
    'lib/identity/b.ts',
    'sandbox/one',
    'sandbox/two',
  ])
  expect(found.filter(({ file }) => !expected.has(file))).toEqual([])
})

test('there are at most fourteen areas and seventy edges between them', () => {
  expect(areas.length).toBeLessThanOrEqual(14)
  expect(areas.flatMap(({ may }) => may).length).toBeLessThanOrEqual(70)
})

test('every line of the table is used, and names lines above it alone', () => {
  const names = areas.map(({ area }) => area)
  const used = importsBetweenAreas()
  for (const [index, { area, may }] of areas.entries()) {
    for (const other of may) {
      const line = names.indexOf(other)
      expect(line, `${area} may import ${other}, which has no line`).not.toBe(-1)
      expect(line < index, `${area} may import ${other}, which stands below it`).toBe(true)
      expect(used.has(`${area} ${other}`), `${area} may import ${other}, and does not`).toBe(true)
    }
  }
})

/** The areas' imports are those written in their files. */
function importsBetweenAreas(): Set<string> {
  const areaOf = (file: string) => file.split('/')[1]?.replace(/^ui$/, 'platform')
  const files = fs
    .globSync('{lib,components}/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.includes('.test.'))
  return new Set(
    files.flatMap((file) =>
      [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/from '#((?:lib|components)\/[^']+)'/g)]
        .filter(([, target = '']) => !new RegExp(pure).test(target))
        .filter(([, target = '']) => target.split('/')[0] === file.split('/')[0])
        .map(([, target = '']) => `${areaOf(file)} ${areaOf(target)}`),
    ),
  )
}
