import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { type Envelope, objectField } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { textField, writtenField } from './text-field.ts'

/**
 * `identifiersOf` lists every id in a notification by which its subject can be found, each once, in the form of
 * `normaliseIdentifier`.
 */
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
    writtenField(data, 'internalBankAccountId'),
    writtenField(data, 'linkedBankAccountUuid'),
    writtenField(data, 'remoteBankAccountUuid'),
    envelope.uuid,
  ].map((text) => normaliseIdentifier(text ?? ''))
  const numbers = [
    writtenField(data, 'iban'),
    writtenField(senderAccount, 'iban'),
    writtenField(beneficiaryAccount, 'iban'),
    writtenField(data, 'account_number'),
    writtenField(senderAccount, 'accountNumber'),
    writtenField(beneficiaryAccount, 'accountNumber'),
  ].map((text) => normaliseIdentifier(text ?? ''))
  const values = [...found, ...numbers.filter((number) => number !== '').map(accountNumberKey)]
  return [...new Set(values)].filter((value) => value !== '' && value.length <= longest)
}

/**
 * Ids are stored and looked up in this form: plain, in lower case, without spaces and without the `=` that marks account
 * numbers.
 */
export const normaliseIdentifier = (text: string): string =>
  plainText(text)
    .toLowerCase()
    .replace(/[\s=]+/g, '')

/**
 * An account number is stored between two `=`, which no search text can contain. A search for a part of an id therefore
 * never finds it.
 * @param number in the form of `normaliseIdentifier`
 */
export const accountNumberKey = (number: string): string => `=${number}=`

/** A part of an account number is looked up in this form, for roles that see account numbers whole. */
export const accountNumberPart = (prefix: string | null, suffix: string | null) => ({
  prefix: prefix === null ? null : `=${prefix}`,
  suffix: suffix === null ? null : `${suffix}=`,
})

/** ASSUMED: no id is longer, and an index entry may not be longer. */
const longest = 200
