import { expect, test } from 'vitest'
import { tablesOfSchema } from '../../../test/tables-of-schema.ts'
import { textPages } from './conditions.ts'
import { tables } from './tables.ts'

test('the list says of every table of the schema what it holds of people', () => {
  expect(Object.keys(tables).toSorted()).toEqual(tablesOfSchema.toSorted())
})

test('every table that is searched for texts about the person gives its texts', () => {
  const searched = Object.entries(tables).flatMap(([name, treatment]) =>
    treatment !== 'nobody' && JSON.stringify(treatment).includes('"of":"texts"') ? [name] : [],
  )
  const read = searched.filter((name) =>
    textPages.some((sql) => new RegExp(`(?:FROM|JOIN) ${name}\\b`).test(sql)),
  )
  expect(read).toEqual(searched)
  expect(searched).toHaveLength(textPages.length)
})
