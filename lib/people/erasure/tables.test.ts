import fs from 'node:fs'
import { expect, test } from 'vitest'
import { tables } from './tables.ts'

test('the list says of every table of the schema what it holds of people', () => {
  const names = fs.readFileSync('prisma/schema.prisma', 'utf8').match(/(?<=@@map\(")\w+/g) ?? []
  expect(Object.keys(tables).toSorted()).toEqual(names.toSorted())
})
