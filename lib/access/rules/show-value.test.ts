import { expect, it } from 'vitest'
import { showValue } from './visibility.ts'

it('masks what is no text wholly, and nothing that is not there', () => {
  expect(showValue('auditor', 'person', 5)).toBe('•••')
  expect(showValue('auditor', 'person', 'Ana')).toBe('A•••')
  expect(showValue('auditor', 'person', null)).toBeNull()
  expect(showValue('support', 'body', null)).toBeNull()
})

it.each(['ON_HOLD_KYC', 'ON_HOLD_PROCESS', 'SUCCESS', 'ACTIVE', 'FULL_USER'])(
  'tells customers of the state %s',
  (state) => {
    expect(showValue('end-user', 'state', state)).toBe(state)
  },
)

it.each(['ON_HOLD_AML', 'NEW', '', 5, true])('tells customers of no state such as %j', (state) => {
  expect(showValue('end-user', 'state', state)).toBeNull()
  expect(showValue('support', 'state', state)).toBe(state)
})
