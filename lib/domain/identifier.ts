import { type Envelope, objectField, textField } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'

/** The kinds of ids that people search by. */
export const identifierKinds = [
  'transaction',
  'hash',
  'wallet',
  'iban',
  'account-number',
  'bank-account',
  'user',
] as const
export type IdentifierKind = (typeof identifierKinds)[number]

/** An id under which a subject is found; `value` is lower case and without spaces. */
export interface Identifier {
  readonly kind: IdentifierKind
  readonly value: string
}

/** Every id that a notification carries, each once. */
export function identifiersOf(envelope: Envelope): readonly Identifier[] {
  const { data } = envelope
  const sender = objectField(data, 'senderDetails')
  const senderAccount = objectField(sender, 'accountDetails')
  const beneficiaryAccount = objectField(objectField(data, 'beneficiaryDetails'), 'accountDetails')
  const isAccount = bankAccountTypes.has(envelope.type ?? '')
  const found: readonly (readonly [IdentifierKind, string | null])[] = [
    ['transaction', textField(data, 'transactionUuid')],
    ['hash', textField(data, 'transactionHash')],
    ['wallet', textField(data, 'walletAddress')],
    ['wallet', textField(data, 'sendingWalletAddress')],
    ['wallet', textField(data, 'sendingAddress')],
    ['iban', textField(data, 'iban')],
    ['iban', textField(senderAccount, 'iban')],
    ['iban', textField(beneficiaryAccount, 'iban')],
    ['account-number', textField(data, 'account_number')],
    ['account-number', textField(senderAccount, 'accountNumber')],
    ['account-number', textField(beneficiaryAccount, 'accountNumber')],
    ['bank-account', isAccount ? textField(data, 'uuid') : null],
    ['bank-account', textField(data, 'internalBankAccountId')],
    ['bank-account', textField(data, 'linkedBankAccountUuid')],
    ['bank-account', textField(data, 'remoteBankAccountUuid')],
    ['user', envelope.uuid],
  ]
  const distinct = new Map<string, Identifier>()
  for (const [kind, text] of found) {
    const value = normaliseIdentifier(text ?? '')
    if (value !== '' && value.length <= longest) distinct.set(`${kind}:${value}`, { kind, value })
  }
  return [...distinct.values()]
}

/** The form in which ids are kept and looked up: lower case, no spaces. */
export const normaliseIdentifier = (text: string): string => text.toLowerCase().replace(/\s+/g, '')

/** ASSUMED: longer than any id can sensibly be, and than an index entry may be. */
const longest = 200
