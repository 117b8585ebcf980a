import fs from 'node:fs'
import { expect, test } from 'vitest'
import { tablesOfSchema } from '../../test/tables-of-schema.ts'
import { retentionRules } from './retention-rules.ts'

const docs = fs.readFileSync('docs/retention.md', 'utf8')
const rows = docs
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('the table in the docs has the rules of the code', () => {
  const dated = rows.filter(([, , days]) => /^\d+ days?$/.test(days ?? ''))
  expect(dated.map(([, what, days, since]) => [what, days, since])).toEqual(
    retentionRules.map(({ what, days, since }) => [what, days === 1 ? '1 day' : `${days} days`, since]),
  )
})

test('the docs say for every table whether its rows are deleted', () => {
  const named = rows.flatMap(([, what]) => [...(what ?? '').matchAll(/`(\w+)`/g)].map(([, table]) => table))
  expect([...new Set(named)].sort()).toEqual(tablesOfSchema.toSorted())
})
