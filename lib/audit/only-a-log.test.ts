import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

/** SQL that names the table, its Prisma model, or its bare name. */
const namesTheTable = /\b(from|into|join|update|only|table|on)\s+"?audit\b|\.audit\b|["'`]audit["'`]/i

/** Retention expires it, and its rights are given by the role. */
const others = new Set(['lib/retention/retention-rules.ts', 'lib/db/application-role.ts'])

const mayName = (file: string) => file.startsWith('lib/audit/') || others.has(file)

const sources = ['app', 'bin', 'components', 'lib'].flatMap((folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|^db\/generated/.test(name))
    .map((name) => path.join(folder, name)),
)

it('nothing reads or writes the audit but lib/audit, and retention, which expires it', () => {
  expect(sources.length).toBeGreaterThan(300)
  const naming = sources.filter((file) => namesTheTable.test(fs.readFileSync(file, 'utf8')))
  expect(naming.filter(mayName)).toEqual([
    'lib/audit/give-heads.ts',
    'lib/audit/record-audit.ts',
    'lib/audit/verify-chain.ts',
    'lib/db/application-role.ts',
    'lib/retention/retention-rules.ts',
  ])
  expect(naming.filter((file) => !mayName(file))).toEqual([])
})

it.each([
  "SELECT target FROM audit WHERE action = 'endpoint.set-status'",
  'prisma().audit.findFirst({ where })',
  'INSERT INTO "audit" (id) VALUES ($1)',
  "const table = 'audit'",
])('takes notice of %s', (code) => expect(code).toMatch(namesTheTable))
