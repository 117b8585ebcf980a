import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

/** The pattern finds SQL that names the table, its Prisma model, or its bare name. */
const namesTheTable =
  /\b(?:from|into|join|update|only|table|on|FROM|INTO|JOIN|UPDATE|ONLY|TABLE|ON)\s+"?audit\b|\.audit\b|["'`]audit["'`]/

/**
 * These files may name the table: retention expires entries, roles get their rights, and a person's export contains them.
 */
const others = new Set([
  'lib/deliveries/retention-rules.ts',
  'lib/platform/db/application-role.ts',
  'lib/people/erasure/conditions.ts',
  'lib/people/erasure/tables.ts',
])

const mayName = (file: string) => file.startsWith('lib/audit/') || others.has(file)

const sources = ['app', 'bin', 'components', 'lib'].flatMap((folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|^platform\/db\/generated/.test(name))
    .map((name) => path.join(folder, name)),
)

it('nothing reads or writes the audit but lib/audit, and retention, which expires it', () => {
  expect(sources.length).toBeGreaterThan(300)
  const naming = sources.filter((file) => namesTheTable.test(fs.readFileSync(file, 'utf8')))
  expect(naming).toEqual(expect.arrayContaining(['lib/audit/record-audit.ts', ...others]))
  expect(naming.filter((file) => !mayName(file))).toEqual([])
})

it.each([
  "SELECT target FROM audit WHERE action = 'endpoint.set-status'",
  'prisma().audit.findFirst({ where })',
  'INSERT INTO "audit" (id) VALUES ($1)',
  "const table = 'audit'",
])('takes notice of %s', (code) => expect(code).toMatch(namesTheTable))
