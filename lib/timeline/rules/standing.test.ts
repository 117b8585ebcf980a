import { describe, expect, it } from 'vitest'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import { foldSamples, start, step } from '../../../test/sample-deliveries.ts'
import { standingsOf } from './standing.ts'

const uuid = 'c0ffee00-0000-4000-8000-000000000001'
const account: Subject = { kind: 'bank-account', id: 'a-1' }
const entity: Subject = { kind: 'entity', id: uuid }
const of = (subject: Subject, bodies: readonly object[]) =>
  standingsOf(
    foldSamples(
      bodies.map((body, at) => ({ at: at * 60, body })),
      subject,
    ),
  )

const fiat = (status: string, data: object = {}) => ({
  type: 'unblockBankAccount',
  subType: 'statusUpdate',
  uuid,
  data: { uuid: 'a-1', status, ...data },
})
const about = (type: string, status: string, subType = 'statusUpdate') => ({
  type,
  subType,
  uuid,
  data: { status },
})

describe('where a subject stands', () => {
  it('an account stands by the event of the highest rank, with the latest currency', () => {
    expect(
      of(account, [fiat('WAITING_CREATION', { currency: 'EUR' }), fiat('ACTIVE'), fiat('WAITING_CREATION')]),
    ).toMatchObject([
      {
        type: 'unblockBankAccount',
        state: 'ACTIVE',
        currency: 'EUR',
        entityUuid: uuid,
        startedAt: start,
      },
    ])
  })

  it('a person stands by the last event of each type', () => {
    const said = [
      about('KYC', 'KYC_PENDING'),
      about('AML', 'IN_REVIEW'),
      about('KYC', 'FULL_USER'),
      { type: 'duplicateUser', subType: 'DUPLICATE_USER', uuid, data: {} },
    ]
    expect(of(entity, said).map(({ type, state }) => [type, state])).toEqual([
      ['KYC', 'FULL_USER'],
      ['AML', 'IN_REVIEW'],
      ['duplicateUser', 'DUPLICATE_USER'],
    ])
    expect(of(entity, said)[0]).toMatchObject({ startedAt: start, lastMoveAt: start + 120_000 })
  })

  it('gives no currency of a person, and the last person that an account names', () => {
    expect(
      of(entity, [{ ...about('KYC', 'FULL_USER'), data: { status: 'FULL_USER', currency: 'EUR' } }]),
    ).toMatchObject([{ currency: null }])
    const other = '0ddba11e-0000-4000-8000-000000000002'
    expect(
      of(account, [
        fiat('WAITING_CREATION'),
        { ...fiat('ACTIVE'), uuid: ` ${other.toUpperCase()} ` },
        { ...fiat('NEW'), uuid: ' ' },
      ]),
    ).toMatchObject([{ entityUuid: other, currency: null }])
    expect(of(account, [{ ...fiat('ACTIVE'), uuid: undefined }])).toMatchObject([{ entityUuid: null }])
  })

  it('moved last when the latest came that was not placed by rule', () => {
    expect(of(account, [fiat('ACTIVE'), fiat('WAITING_CREATION')])).toMatchObject([
      { startedAt: start, lastMoveAt: start },
    ])
  })

  it('a transaction, and what is of no type of the contract, stands nowhere', () => {
    expect(standingsOf(foldSamples([{ at: 0, body: step('PENDING') }]))).toEqual([])
    expect(of(entity, [about('brandNew', 'X'), { uuid }])).toEqual([])
  })

  it('a state longer than any is cut', () => {
    expect(of(entity, [about('KYC', 'X'.repeat(400))])[0]?.state).toBe('X'.repeat(100))
  })
})
