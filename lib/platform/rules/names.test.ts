import { expect, test } from 'vitest'
import { nearestName } from './names.ts'

const names = ['DATABASE_URL', 'DATABASE_READ_URL', 'RAMPART_KEYS', 'STAFF_SIGN_IN', 'PORT']

test.each([
  ['DATABSE_URL', 2, 'DATABASE_URL'],
  ['DATABASE_RUL', 2, 'DATABASE_URL'],
  ['DATABASE_READURL', 2, 'DATABASE_READ_URL'],
  ['RAMPART_KEY', 2, 'RAMPART_KEYS'],
  ['rampart_keys', 0, 'RAMPART_KEYS'],
  ['STAFF_SIGNIN', 1, 'STAFF_SIGN_IN'],
  ['PATH', 1, null],
  ['HOME', 2, null],
  ['', 2, null],
])('%s, within %i letters, is %s', (given, most, name) => {
  expect(nearestName(given, names, most)).toBe(name)
})
