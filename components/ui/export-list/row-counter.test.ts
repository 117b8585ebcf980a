import { expect, it } from 'vitest'
import { csvLine } from '#lib/platform/rules/csv.ts'
import { rowCounter } from './export-list.tsx'

const rows = [
  ['uuid', 'status'],
  ['1', 'ON_HOLD'],
  ['2', 'a "new"\r\none,\n'],
  ['3', 'ü'],
  ['4', '"'],
]

it.each([1, 2, 3, 7, 1_000])('counts the rows of CSV that comes in pieces of %i bytes', (size) => {
  const bytes = new TextEncoder().encode(rows.map(csvLine).join(''))
  const count = rowCounter('csv')
  let counted = 0
  for (let at = 0; at < bytes.length; at += size) counted = count(bytes.slice(at, at + size))
  expect(counted).toBe(4)
})

it('counts the lines of NDJSON, and no row in a heading alone', () => {
  expect(rowCounter('ndjson')(new TextEncoder().encode('{"a":"\\""}\n{"b":"\\n"}\n'))).toBe(2)
  expect(rowCounter('csv')(new TextEncoder().encode('uuid,status\r\n'))).toBe(0)
  expect(rowCounter('csv')(new TextEncoder().encode('uuid'))).toBe(0)
})
