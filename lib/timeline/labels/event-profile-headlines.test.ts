import { describe, expect, it } from 'vitest'
import { statesOf } from '#lib/deliveries/rules/event-states.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { accountHeadline, companyHeadline } from './event-profile-headlines.ts'

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
    expect(accountHeadline({ ...linked, type: null, state: null })).toBe('Account: Unknown')
  })

  it.each(['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'] as const)(
    'has a sentence for each status of %s',
    (type) => {
      for (const state of statesOf[type])
        expect(accountHeadline({ type, state, currency: null, number: null })).not.toContain(':')
    },
  )
})

const tell = (...standings: readonly (readonly [EventType, string | null])[]) =>
  companyHeadline(standings.map(([type, state]) => ({ type, state, restricted: false })))

describe('the headline of a company', () => {
  it.each([
    [[['KYB', 'KYB_PENDING']], 'Company is being verified'],
    [[['KYB', 'KYB_PASSED']], 'Company is verified'],
    [[['KYB', 'KYB_FAILED']], 'Company could not be verified'],
    [
      [
        ['entityStatusUpdate', 'ACTIVE'],
        ['KYB', 'KYB_PASSED'],
      ],
      'Company is active, and is verified',
    ],
  ] as const)('says of %j: %s', (standings, sentence) => {
    expect(tell(...standings).sentence).toBe(sentence)
  })

  it('begins with what somebody must act on, whatever was said last', () => {
    expect(tell(['KYB', 'KYB_PASSED'], ['entityStatusUpdate', 'SUSPENDED'])).toMatchObject({
      sentence: 'Company is suspended, and is verified',
      deciding: { type: 'entityStatusUpdate' },
    })
    expect(tell(['entityStatusUpdate', 'SUSPENDED'], ['KYB', 'KYB_FAILED']).sentence).toBe(
      'Company is suspended, and could not be verified',
    )
  })

  it('shows a state that nobody knows as it came, and says when there is none', () => {
    expect(tell(['entityStatusUpdate', 'FROZEN']).sentence).toBe('Company: FROZEN')
    expect(tell(['AML', 'FAILED'])).toEqual({
      sentence: 'Company, of which no state was received',
      deciding: null,
    })
    expect(tell().sentence).toBe('Company, of which no state was received')
  })
})
