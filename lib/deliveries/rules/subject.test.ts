import { describe, expect, it } from 'vitest'
import { envelopeOf } from '../../../test/sample-deliveries.ts'
import { parseSubjectId, subjectId, subjectOf } from './subject.ts'

describe('subjectOf', () => {
  it.each([
    ['a transaction', { uuid: 'U-1', data: { transactionUuid: 'AB-12' } }, 'transaction:ab-12'],
    ['any type with a transactionUuid', { type: 'New', data: { transactionUuid: 't' } }, 'transaction:t'],
    ['an account', { type: 'unblockBankAccount', uuid: 'u', data: { uuid: 'A-1' } }, 'bank-account:a-1'],
    ['a profile', { type: 'linkedBankAccountProfile', uuid: 'u', data: { uuid: 'p' } }, 'bank-account:p'],
    ['a linked account', { type: 'linkBankAccount', uuid: 'u', data: { uuid: 'l' } }, 'bank-account:l'],
    ['an account without its uuid', { type: 'linkBankAccount', uuid: 'u', data: {} }, 'entity:u'],
    ['a user, whatever data.uuid says', { type: 'KYC', uuid: 'U', data: { uuid: 'x' } }, 'entity:u'],
    ['nobody', { type: 'KYC', data: {} }, 'unknown:f1'],
    ['a uuid that is no string', { uuid: 5, data: { transactionUuid: 7 } }, 'unknown:f1'],
    ['a uuid of blanks', { uuid: '  ' }, 'unknown:f1'],
    ['a uuid too long for any index', { uuid: 'u', data: { transactionUuid: 'x'.repeat(300) } }, 'entity:u'],
  ])('finds %s', (_, body, key) => {
    expect(subjectId(subjectOf(envelopeOf(body), 'f1'))).toBe(key)
  })

  it('names an unreadable delivery by its fingerprint', () => {
    expect(subjectOf(null, 'f1')).toEqual({ kind: 'unknown', id: 'f1' })
  })
})

describe('parseSubjectId', () => {
  it('reads what subjectId wrote', () => {
    const subject = { kind: 'bank-account', id: 'a:b' } as const
    expect(parseSubjectId(subjectId(subject))).toEqual(subject)
  })

  it.each(['', ':', 'transaction:', 'transaction', 'person:1', ':x'])('refuses %j', (text) => {
    expect(parseSubjectId(text)).toBeNull()
  })
})
