import { expect, it } from 'vitest'
import type { Found } from '#lib/search/found.ts'
import { nothingFound } from '../../test/nothing-found.ts'
import { namedPath } from './named-path.ts'

const uuid = '0fa3d7b5-8bf1-4d8b-8c9d-aaaaaaaaaaaa'
const of = (subjectId: string, entityUuid: string | null = uuid) => ({
  subjectId,
  startedAt: '',
  latest: JSON.parse(JSON.stringify({ entityUuid })),
})
const whole = (field: 'email' | 'name', text: string, to = text.length) => ({
  userUuid: uuid,
  email: null,
  name: null,
  customerNumber: null,
  why: { field, text, marks: [{ from: 0, to }] },
})
const byPerson = { field: 'person', text: uuid, marks: [] } as const

it.each<[string, Partial<Found>, string | null]>([
  ['the one subject', { exact: 'transaction:1' }, '/transactions/1'],
  [
    'a person above their transactions',
    { named: [of(`entity:${uuid}`)], rows: [of('transaction:1')] },
    `/users/${uuid}`,
  ],
  [
    'an account above what carries its id',
    { named: [of('bank-account:7')], rows: [of('transaction:1')] },
    '/accounts/7',
  ],
  [
    'a person of whom only transactions arrived',
    {
      rows: [of('transaction:1'), of('transaction:2')],
      why: { 'transaction:1': byPerson, 'transaction:2': byPerson },
    },
    `/users/${uuid}`,
  ],
  [
    'a person by a whole e-mail',
    { people: [whole('email', 'ana@demo.test')], rows: [of('transaction:1')] },
    `/users/${uuid}`,
  ],
  ['nobody by a part of an e-mail', { people: [whole('email', 'ana@demo.test', 3)] }, null],
  ['nobody by a name', { people: [whole('name', 'Ana')] }, null],
  ['nobody where two are meant', { people: [whole('email', 'a@b.c'), whole('email', 'a@b.c')] }, null],
  [
    'nobody where transactions of several people were found',
    {
      rows: [of('transaction:1'), of('transaction:2', 'other')],
      why: { 'transaction:1': byPerson, 'transaction:2': byPerson },
    },
    null,
  ],
  [
    'nobody by another field',
    { rows: [of('transaction:1')], why: { 'transaction:1': { ...byPerson, field: 'wallet' } } },
    null,
  ],
  ['nothing where nothing was found', {}, null],
])('opens %s', (_what, found, path) => {
  expect(namedPath({ ...nothingFound, ...found })).toBe(path)
})
