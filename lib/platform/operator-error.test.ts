import { expect, it } from 'vitest'
import { UnsafeDatabaseError } from './db/check-databases.ts'
import { DatabaseUnreachable } from './db/require-reachable.ts'
import { ConfigurationError } from './env/variables.ts'
import { describeForOperator } from './operator-error.ts'

it.each([ConfigurationError, DatabaseUnreachable, UnsafeDatabaseError])('prints one line of %o', (Kind) => {
  expect(describeForOperator(new Kind('PORT: must be a number'))).toBe('PORT: must be a number')
})

it('prints an unexpected error with its stack', () => {
  const error = new TypeError('x is not a function')
  expect(describeForOperator(error)).toBe(error)
})
