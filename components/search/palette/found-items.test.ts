import { expect, it } from 'vitest'
import { nothingFound } from '../../../test/nothing-found.ts'
import { foundItems } from './found-item-line.tsx'

const transaction = (id: string) => ({
  subjectId: `transaction:${id}`,
  startedAt: '',
  latest: JSON.parse('{}'),
})
const why = { field: 'name', text: 'Ana', marks: [] } as const
const ana = { userUuid: 'ana', email: null, name: 'Ana', customerNumber: null, why }
const near = { subjectId: 'transaction:3', value: '3', slip: null }

const listed = (found: Partial<Parameters<typeof foundItems>[0]>) =>
  foundItems({
    ...nothingFound,
    ...found,
  }).map(({ value }) => value)

it('lists a person that a text names above the transactions that were found through them', () => {
  expect(listed({ people: [ana], rows: [transaction('1'), transaction('2')] })).toEqual([
    'person ana',
    'subject transaction:1',
    'subject transaction:2',
  ])
})

it('lists the subject that a text names above everything else', () => {
  expect(listed({ people: [ana], named: [transaction('1')], exact: 'transaction:1' })).toEqual([
    'subject transaction:1',
    'person ana',
  ])
})

it('lists near misses when nothing was found', () => {
  expect(listed({ near: [near] })).toEqual(['near 3'])
})
