import { expect, it } from 'vitest'
import { changesOf, isDraftable } from './draft.tsx'

const control = { name: 'reason', type: 'text', autocomplete: '' } as const

it.each([
  ['a line', {}],
  ['several lines', { type: 'textarea' }],
  ['a choice', { type: 'select-one' }],
  ['a box', { type: 'checkbox' }],
  ['an address', { type: 'email', autocomplete: 'email' }],
] as const)('a draft holds %s', (_what, more) => {
  expect(isDraftable({ ...control, ...more })).toBe(true)
})

it.each([
  ['a secret', { type: 'password' }],
  ['a secret that is shown', { autocomplete: 'new-password' }],
  ['a password that is known', { autocomplete: 'current-password' }],
  ['a code', { autocomplete: 'one-time-code' }],
  ['a card’s number', { autocomplete: 'cc-number' }],
  ['a file', { type: 'file' }],
  ['what the page has put there', { type: 'hidden' }],
  ['what is typed to confirm, which is not sent', { name: '' }],
] as const)('a draft never holds %s', (_what, more) => {
  expect(isDraftable({ ...control, ...more })).toBe(false)
})

it('a draft holds only changed values, so that it undoes nothing that somebody else has changed since', () => {
  const first = [
    ['merchantName', 'Rampart'],
    ['supportContact', ''],
    ['to=here', 'ticked'],
    ['to=elsewhere', ''],
  ] as const
  const now = [
    ['merchantName', 'Rampart'],
    ['supportContact', 'help@demo.test'],
    ['to=here', ''],
    ['to=elsewhere', 'ticked'],
    ['url', 'https://ledger.example'],
  ] as const
  expect(changesOf(now, first)).toEqual(now.slice(1))
  expect(changesOf(first, first)).toEqual([])
})
