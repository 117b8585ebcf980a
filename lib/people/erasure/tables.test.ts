import { expect, test } from 'vitest'
import { tablesOfSchema } from '../../../test/tables-of-schema.ts'
import { tables } from './tables.ts'

test('the list says of every table of the schema what it holds of people', () => {
  expect(Object.keys(tables).toSorted()).toEqual(tablesOfSchema.toSorted())
})
