import { describe, expect, it } from 'vitest'
import { isForCustomers } from '#lib/domain/access/event-fields.ts'
import { statesOf, stepReasons } from '#lib/domain/delivery/event-states.ts'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import { directions } from '#lib/domain/delivery/steps.ts'
import { customerAnswer } from './event-answers.ts'

const hint = /aml|launder|check|name|mismatch|duplicate|suspic|complian|provider|review|entity/i
const neutral = customerAnswer({ type: 'fiatToCrypto', subType: 'ON_HOLD', status: null }).say

describe('what can be told to the customer', () => {
  const all = eventTypes.flatMap((type) =>
    statesOf[type].map((state) => [type, { type, subType: state, status: state }] as const),
  )

  it.each(all)('of %s %j has an answer: what to say, and who must act', (type, event) => {
    const { say, act, caution, back } = customerAnswer(event)
    if (type !== 'walletCreated') expect(say).toMatch(/^[A-Z].+\.$/)
    expect(act).toMatch(/\.$/)
    if (directions.some((one) => one === type)) expect(back).toMatch(/\.$/)
    if (!isForCustomers(type) && type !== 'otpNotification' && type !== 'KYB') expect(caution).not.toBeNull()
  })

  it('of a check, a duplicate, a name that differs and a hold is the same neutral sentence', () => {
    expect(neutral).not.toMatch(hint)
    for (const type of ['AML', 'duplicateUser', 'senderNameMismatch', 'entityStatusUpdate'])
      for (const state of ['FAILED', 'IN_REVIEW', 'ANYTHING', null]) {
        const { say, back } = customerAnswer({ type, subType: state, status: state })
        expect(say).toBe(neutral)
        expect(back ?? '').not.toMatch(hint)
      }
    for (const type of directions)
      for (const reason of [...stepReasons, 'ON_HOLD_AML', 'ON_HOLD_NAME_MISMATCH', null])
        if (reason !== 'ON_HOLD_KYC')
          expect(customerAnswer({ type, subType: 'ON_HOLD', status: reason }).say, reason ?? '').toBe(neutral)
  })

  it('of a hold for verification is that the customer must act', () => {
    expect(customerAnswer({ type: 'cryptoToFiat', subType: 'ON_HOLD', status: 'ON_HOLD_KYC' })).toMatchObject(
      {
        say: 'This is paused until your verification is complete.',
        act: 'The customer must finish verification; their page shows how far it is.',
        caution: null,
      },
    )
  })

  it('of what has no words is to ask the provider', () => {
    expect(customerAnswer({ type: 'brandNew', subType: 'X', status: null })).toEqual({
      say: null,
      back: null,
      act: 'Ask the provider.',
      caution: null,
    })
    expect(customerAnswer({ type: 'fiatToCrypto', subType: 'PARKED', status: null }).back).toBe(
      'That is not said: ask the provider.',
    )
  })
})
