import { describe, expect, it } from 'vitest'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { customerEventTypes, eventRules, isForCustomers } from './events.ts'
import { recordFields } from './records.ts'
import { type Role, roles } from './roles.ts'
import { type Information, informationSorts, visibilityOf } from './visibility.ts'

/** Each role sees each sort of information in this way (decision 0044). */
const byRole = {
  'end-user':
    'plain known hidden hidden plain plain hidden plain hidden plain hidden hidden hidden hidden hidden hidden',
  support:
    'plain plain plain plain plain plain plain reveal reveal reveal hidden hidden reveal reveal plain hidden',
  compliance:
    'plain plain plain plain plain plain plain plain plain plain plain plain plain plain hidden hidden',
  auditor:
    'plain plain plain hidden masked masked masked masked masked masked hidden hidden hidden hidden plain hidden',
  admin:
    'plain plain plain plain plain plain plain reveal reveal reveal plain reveal reveal reveal plain plain',
} as const satisfies Record<Role, string>

it.each(roles)('shows each sort of information to %s in this way', (role) => {
  expect(informationSorts.map((sort) => visibilityOf(role, sort)).join(' ')).toBe(byRole[role])
})

describe('the table of events', () => {
  /** The list holds every field of §6.1 to §6.6. */
  const contract = {
    fiatToCrypto:
      'status transactionUuid direction amountCrypto amountFiat amountRefunded walletAddress transactionHash currencyFiat currencyCrypto fees internalBankAccountId chain senderDetails.senderName senderDetails.senderCountry senderDetails.accountDetails.currency senderDetails.accountDetails.iban sendingWalletAddress linkedBankAccountUuid',
    cryptoToFiat:
      'status transactionUuid direction amountCrypto amountFiat amountRefunded transactionHash currencyFiat currencyCrypto fees sendingAddress remoteBankAccountUuid chain limit beneficiaryDetails.receiverName beneficiaryDetails.accountDetails.currency beneficiaryDetails.accountDetails.accountNumber beneficiaryDetails.accountDetails.bankCode beneficiaryDetails.accountDetails.bankName',
    unblockBankAccount:
      'uuid currency bank_country iban bic account_number sort_code swift_code bank_code bank_name status error',
    linkedBankAccountProfile: 'uuid status error',
    linkBankAccount: 'uuid status error',
    otpNotification: 'failureType emailAddress diagnosticCode timestamp',
  }

  it.each(Object.entries(contract))('has a row for each field of %s, and no other', (type, fields) => {
    expect(Object.keys(eventRules(type).data).toSorted()).toEqual(fields.split(' ').toSorted())
  })

  it('lets customers know of their payments, accounts and verification alone', () => {
    expect(customerEventTypes).toEqual([
      'fiatToCrypto',
      'cryptoToFiat',
      'KYC',
      'unblockBankAccount',
      'walletCreated',
      'linkedBankAccountProfile',
      'linkBankAccount',
    ])
    expect(['AML', 'duplicateUser', 'senderNameMismatch', 'entityStatusUpdate'].some(isForCustomers)).toBe(
      false,
    )
    expect([null, '', 'aml', 'anythingNew'].some(isForCustomers)).toBe(false)
  })

  it('tells what a check found to compliance and admins alone, that there was one to all who work here', () => {
    for (const type of ['AML', 'duplicateUser', 'senderNameMismatch']) {
      const { exists, says, body, data } = eventRules(type)
      expect(rolesThatGet(exists)).toEqual(['support', 'compliance', 'auditor', 'admin'])
      for (const sort of [says, body, ...Object.values(data).filter((one) => one !== 'staff')])
        expect(rolesThatGet(sort)).toEqual(['compliance', 'admin'])
    }
  })

  it('hides no body from an admin', () => {
    for (const type of [...eventTypes, 'anythingNew'])
      expect(visibilityOf('admin', eventRules(type).body)).not.toBe('hidden')
  })
})

it('gives a receiver’s id to admins alone', () => {
  expect(rolesThatGet(recordFields.receiver.id)).toEqual(['admin'])
})

const rolesThatGet = (sort: Information) => roles.filter((role) => visibilityOf(role, sort) !== 'hidden')
