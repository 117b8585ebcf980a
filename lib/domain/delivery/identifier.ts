import { type Envelope, objectField, textField } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'

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
    textField(data, 'iban'),
    textField(senderAccount, 'iban'),
    textField(beneficiaryAccount, 'iban'),
    textField(data, 'account_number'),
    textField(senderAccount, 'accountNumber'),
    textField(beneficiaryAccount, 'accountNumber'),
    isAccount ? textField(data, 'uuid') : null,
    textField(data, 'internalBankAccountId'),
    textField(data, 'linkedBankAccountUuid'),
    textField(data, 'remoteBankAccountUuid'),
    envelope.uuid,
  ].map((text) => normaliseIdentifier(text ?? ''))
  return [...new Set(found)].filter((value) => value !== '' && value.length <= longest)
}

/** The form in which ids are kept and looked up: lower case, no spaces. */
export const normaliseIdentifier = (text: string): string => text.toLowerCase().replace(/\s+/g, '')

/** ASSUMED: longer than any id can sensibly be, and than an index entry may be. */
const longest = 200
