import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { folders } from '../boundaries.mjs'

const root = path.dirname(import.meta.dirname)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-boundaries-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** One planted violation of each kind of rule: the rule, the file, what it says. */
const planted: [rule: string, file: string, text: string][] = [
  [
    'domain-is-pure',
    'lib/domain/delivery/clock.ts',
    `import fs from 'node:fs'\nexport const read = fs.readFileSync`,
  ],
  [
    'lib/domain/retry imports',
    'lib/domain/retry/rank.ts',
    `export type { Step } from '../delivery/steps.ts'`,
  ],
  [
    'lib/service packages',
    'lib/service/framework.ts',
    `import 'server-only'\nexport { cookies } from 'next/headers'`,
  ],
  [
    'ingest-steps-apart',
    'lib/ingest/verify-secret.ts',
    `import 'server-only'\nexport { store } from './store.ts'`,
  ],
  [
    'lib/ingest imports',
    'lib/ingest/notify.ts',
    `import 'server-only'\nexport { call } from '../service/call.ts'`,
  ],
  [
    'lib-file-has-a-line',
    'lib/invoices/list.ts',
    `import 'server-only'\nexport { pool } from '../db/pool.ts'`,
  ],
  ['pages-use-use-cases', 'app/page.tsx', `export { pool as default } from '#lib/db/pool.ts'`],
  ['components-stay-in-the-browser', 'components/table.tsx', `export { pool } from '#lib/db/pool.ts'`],
  [
    'lib/team packages',
    'lib/team/invite.ts',
    `import 'server-only'\nexport { redirect } from 'next/navigation'`,
  ],
  ['sandbox-knows-no-dashboard', 'sandbox/fake.ts', `export { call } from '../lib/service/call.ts'`],
  ['sandbox-stands-alone', 'sandbox/alone.ts', `export { startPostgres } from '../bin/postgres.ts'`],
  ['packages-are-listed', 'sandbox/pictures.ts', `export { Camera } from 'lucide-react'`],
  ['packages-are-listed', 'sandbox/answers.ts', `export { Ajv2020 } from 'ajv/dist/2020.js'`],
  ['packages-are-listed', 'app/page-of-sandbox.tsx', `export { html } from 'hono/html'`],
  [
    'dashboard-knows-no-sandbox',
    'lib/demo/peek.ts',
    `import 'server-only'\nexport { real } from '../../sandbox/real.ts'`,
  ],
  ['browser-tests-stay-outside', 'e2e/sign-in.spec.ts', `export { pool } from '../lib/db/pool.ts'`],
  ['no-cycles', 'lib/team/a.ts', `import 'server-only'\nimport './b.ts'\nexport const a = 1`],
  ['no-folder-cycles', 'components/one/a.ts', `export { two } from '../two/b.ts'\nexport const one = 1`],
  ['components-beneath', 'components/ui/fact.ts', `export { row } from '../row.tsx'`],
  ['components-beside-the-folders', 'components/box.tsx', `export { two } from './two/b.ts'`],
  ['lib-is-server-only', 'lib/users/unmarked.ts', 'export const unmarked = 1'],
]

/** What the violations need around them, and what the rules must let pass. */
const innocent: Record<string, string> = {
  'lib/domain/delivery/steps.ts': 'export type Step = string',
  'components/two/b.ts': 'export const two = 2',
  'components/two/c.ts': `export { one } from '../one/a.ts'`,
  'lib/service/call.ts': `import 'server-only'\nimport { z } from 'zod'\nexport const call = (step: string) => z.string().parse(step)`,
  'lib/ingest/store.ts': `import 'server-only'\nexport { pool as store } from '../db/pool.ts'`,
  'lib/db/pool.ts': `import 'server-only'\nexport const pool = 1\nexport type Row = string`,
  'lib/team/b.ts': `import 'server-only'\nimport './a.ts'`,
  'bin/postgres.ts': 'export const startPostgres = 1',
  'sandbox/real.ts': `import { Hono } from 'hono'\nimport { html } from 'hono/html'\nexport const real = [new Hono(), html]`,
  'sandbox/real.test.ts': `export { startPostgres } from '../bin/postgres.ts'\nexport { Ajv2020 } from 'ajv/dist/2020.js'`,
  'proofs/conformance/both.ts': `export { call } from '../../lib/service/call.ts'\nexport { real } from '../../sandbox/real.ts'`,
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
    'lib/team/b.ts',
    'components/one',
    'components/two',
  ])
  expect(found.filter(({ file }) => !expected.has(file))).toEqual([])
})

test('every line of the table is used, and names lines above it alone', () => {
  const names = folders.map(({ folder }) => folder)
  const used = importsBetween(names)
  for (const [index, { folder, may }] of folders.entries()) {
    for (const other of may) {
      const lines = names.filter(
        (name) => name === other || (other === 'lib/domain' && name.startsWith('lib/domain/')),
      )
      expect(lines, `${folder} may import ${other}, which has no line`).not.toEqual([])
      expect(
        lines.every((line) => names.indexOf(line) < index),
        `${folder} may import ${other}, which stands below it`,
      ).toBe(true)
      expect(
        lines.some((line) => used.has(`${folder} ${line}`)),
        `${folder} may import ${other}, and does not`,
      ).toBe(true)
    }
  }
})

/** Which lines import which, by the imports that are written in their files. */
function importsBetween(names: readonly string[]): Set<string> {
  const lineOf = (file: string) => names.find((name) => name === file || name === path.dirname(file))
  const files = fs.globSync('lib/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  return new Set(
    files.flatMap((file) =>
      [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/from '(#lib\/|\.\.?\/)([^']+)'/g)].flatMap(
        ([, base, rest = '']) => {
          const target = base === '#lib/' ? `lib/${rest}` : path.join(path.dirname(file), base ?? '', rest)
          const [from, to] = [lineOf(file), lineOf(target)]
          return from && to && from !== to ? [`${from} ${to}`] : []
        },
      ),
    ),
  )
}
