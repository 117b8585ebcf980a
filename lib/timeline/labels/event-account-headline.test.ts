import { describe, expect, it } from 'vitest'
import { statesOf } from '#lib/deliveries/rules/event-states.ts'
import { accountHeadline } from './event-account-headline.ts'

describe('the headline of an account', () => {
  const fiat = { type: 'unblockBankAccount', currency: 'eur', number: 'DE•••3000' } as const

  it.each([
    ['ACTIVE', 'Account for EUR is active; pay into DE•••3000'],
    ['WAITING_CREATION', 'Account for EUR is waiting to be created'],
    ['FAILED_CREATION', 'Account for EUR could not be created'],
    ['DISABLED', 'Account for EUR is disabled'],
    ['FROZEN', 'Account for EUR: FROZEN'],
  ])('says of %s: %s', (state, sentence) => {
    expect(accountHeadline({ ...fiat, state })).toBe(sentence)
  })

  it('names what is no account to pay into, and never offers a number of it', () => {
    const linked = { type: 'linkBankAccount', currency: null, number: 'DE•••3000' } as const
    expect(accountHeadline({ ...linked, state: 'ACTIVE' })).toBe('Linked bank account is active')
    expect(accountHeadline({ ...fiat, currency: null, number: null, state: 'ACTIVE' })).toBe(
      'Account is active',
    )
    expect(accountHeadline({ ...linked, type: null, state: null })).toBe('Account: No words yet')
  })

  it.each(['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'] as const)(
    'has a sentence for each status of %s',
    (type) => {
      for (const state of statesOf[type])
        expect(accountHeadline({ type, state, currency: null, number: null })).not.toContain(':')
    },
  )
})
