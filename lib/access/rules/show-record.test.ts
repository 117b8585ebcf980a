import { describe, expect, expectTypeOf, it } from 'vitest'
import { revealableFields, showRecord } from './records.ts'
import type { StaffRole } from './roles.ts'

const transaction = {
  uuid: '2046967a-e17d-45b7-9cc9-a4c1b2ad1329',
  step: 'ON_HOLD',
  reason: 'ON_HOLD_AML_CHECK',
  amountFiat: '4.76',
  userEmail: 'ana@demo.test',
  flags: ['late'],
  stuck: true,
  parties: {
    walletAddress: '0x26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932',
    sender: { name: 'Ana García', iban: 'DE89370400440532013000', country: 'DE', hobby: 'chess' },
    beneficiary: null,
  },
  shoeSize: '43',
}

describe('a transaction', () => {
  it('comes to its owner without what only staff may know, and without a reason that we have no words for', () => {
    expect(showRecord('end-user', 'transaction', transaction)).toEqual({
      uuid: transaction.uuid,
      step: 'ON_HOLD',
      reason: null,
      amountFiat: '4.76',
      userEmail: 'ana@demo.test',
      flags: [],
      stuck: true,
      parties: {
        walletAddress: transaction.parties.walletAddress,
        sender: { name: null, iban: null, country: null, hobby: null },
        beneficiary: null,
      },
      shoeSize: null,
    })
    expect(showRecord('end-user', 'transaction', { reason: 'ON_HOLD_KYC', step: 'NEW_STEP' })).toEqual({
      reason: 'ON_HOLD_KYC',
      step: null,
    })
  })

  it('comes to support with account numbers masked, which may be asked for', () => {
    const shown = showRecord('support', 'transaction', transaction)
    expect(shown).toMatchObject({ reason: 'ON_HOLD_AML_CHECK', flags: ['late'], stuck: true, shoeSize: null })
    expect(shown.parties.sender).toEqual({
      name: 'Ana García',
      iban: 'DE•••3000',
      country: 'DE',
      hobby: null,
    })
    expect(revealableFields('support', 'transaction', transaction)).toEqual(['parties.sender.iban'])
  })

  it('comes to compliance plain, and to an auditor with everything personal masked for good', () => {
    expect(showRecord('compliance', 'transaction', transaction).parties.sender.iban).toBe(
      'DE89370400440532013000',
    )
    const shown = showRecord('auditor', 'transaction', transaction)
    expect(shown.userEmail).toBe('a•••@demo.test')
    expect(shown.parties.sender).toMatchObject({ name: 'A••• G•••', iban: 'DE•••3000' })
    for (const role of ['end-user', 'compliance', 'auditor'] as const)
      expect(revealableFields(role, 'transaction', transaction)).toEqual([])
  })
})

it('has a type that says which fields these roles may not see', () => {
  const record = {
    uuid: 'u',
    lastMoveAt: 'now',
    stuck: true,
    parties: { sender: { name: 'Ana', hobby: 'chess' } },
  }
  expectTypeOf(showRecord('end-user', 'transaction', record)).toEqualTypeOf<{
    readonly uuid: string
    readonly lastMoveAt: string | null
    readonly stuck: boolean
    readonly parties: { readonly sender: { readonly name: string | null; readonly hobby: null } }
  }>()
  const role: StaffRole = 'auditor'
  expectTypeOf(
    showRecord<typeof record, 'transaction', StaffRole>(role, 'transaction', record),
  ).toEqualTypeOf<{
    readonly uuid: string
    readonly lastMoveAt: string
    readonly stuck: boolean
    readonly parties: { readonly sender: { readonly name: string; readonly hobby: null } }
  }>()
})

it('hides a list and a truth that the table does not name, each as its like', () => {
  expect(showRecord('admin', 'transaction', { shoes: ['43'], tall: true, hat: 'M', none: null })).toEqual({
    shoes: [],
    tall: false,
    hat: null,
    none: null,
  })
  expect(showRecord('end-user', 'transaction', { flags: ['late'], step: null })).toEqual({
    flags: [],
    step: null,
  })
})
