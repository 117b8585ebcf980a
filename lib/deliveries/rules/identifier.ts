import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { type Envelope, objectField } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { textField } from './text-field.ts'

/** Every id that a notification carries and its subject is found by, each once, as `normaliseIdentifier` has it. */
export function identifiersOf(envelope: Envelope): readonly string[] {
  const { data } = envelope
  const sender = objectField(data, 'senderDetails')
  const senderAccount = objectField(sender, 'accountDetails')
  const beneficiaryAccount = objectField(objectField(data, 'beneficiaryDetails'), 'accountDetails')
  const isAccount = bankAccountTypes.has(envelope.type ?? '')
  const found = [
    textField(data, 'transactionUuid'),
    textField(data, 'transactionHash'),
    textField(data, 'walletAddress'),
    textField(data, 'sendingWalletAddress'),
    textField(data, 'sendingAddress'),
    isAccount ? textField(data, 'uuid') : null,
    textField(data, 'internalBankAccountId'),
    textField(data, 'linkedBankAccountUuid'),
    textField(data, 'remoteBankAccountUuid'),
    envelope.uuid,
  ].map((text) => normaliseIdentifier(text ?? ''))
  const numbers = [
    textField(data, 'iban'),
    textField(senderAccount, 'iban'),
    textField(beneficiaryAccount, 'iban'),
    textField(data, 'account_number'),
    textField(senderAccount, 'accountNumber'),
    textField(beneficiaryAccount, 'accountNumber'),
  ].map((text) => normaliseIdentifier(text ?? ''))
  const values = [...found, ...numbers.filter((number) => number !== '').map(accountNumberKey)]
  return [...new Set(values)].filter((value) => value !== '' && value.length <= longest)
}

/** The form in which ids are kept and looked up: plain, in lower case, without spaces and without the mark of account numbers. */
export const normaliseIdentifier = (text: string): string =>
  plainText(text)
    .toLowerCase()
    .replace(/[\s=]+/g, '')

/**
 * An account number is kept between two marks that no text searched for can hold, so that a search by a part never finds it.
 * @param number as `normaliseIdentifier` has it
 */
export const accountNumberKey = (number: string): string => `=${number}=`

/** How a part of an account number is looked up, for those who see account numbers whole. */
export const accountNumberPart = (prefix: string | null, suffix: string | null) => ({
  prefix: prefix === null ? null : `=${prefix}`,
  suffix: suffix === null ? null : `${suffix}=`,
})

/** ASSUMED: longer than any id can sensibly be, and than an index entry may be. */
const longest = 200
