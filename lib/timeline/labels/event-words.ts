import type { StateOf } from '#lib/deliveries/rules/event-states.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import type { StaffWords } from '#lib/words/labels/tone.ts'
import { fiatAccountWords, linkedAccountWords, linkedProfileWords } from './event-account-words.ts'
import {
  amlWords,
  codeWords,
  duplicateWords,
  entityWords,
  kybWords,
  kycWords,
  mismatchWords,
  walletWords,
} from './event-person-words.ts'
import { cryptoToFiatWords, fiatToCryptoWords } from './event-transaction-words.ts'

/** What each state of each type is called, what it means and who must act: a state without words does not compile. */
export const eventWords = {
  fiatToCrypto: fiatToCryptoWords,
  cryptoToFiat: cryptoToFiatWords,
  KYC: kycWords,
  KYB: kybWords,
  AML: amlWords,
  unblockBankAccount: fiatAccountWords,
  entityStatusUpdate: entityWords,
  walletCreated: walletWords,
  linkedBankAccountProfile: linkedProfileWords,
  linkBankAccount: linkedAccountWords,
  duplicateUser: duplicateWords,
  senderNameMismatch: mismatchWords,
  otpNotification: codeWords,
} as const satisfies { readonly [Type in EventType]: Readonly<Record<StateOf<Type>, StaffWords>> }

const byState: ReadonlyMap<string, ReadonlyMap<string, StaffWords>> = new Map(
  Object.entries(eventWords).map(([type, states]) => [type, new Map(Object.entries(states))]),
)

/** The words of a state that an event of this type speaks of; null for one that has none. */
export const findWords = (type: string | null, state: string | null): StaffWords | null =>
  byState.get(type ?? '')?.get(state ?? '') ?? null

/** Of a type whose name says what happened, whatever its `subType`, which §6.7 does not show. */
export const wordsOfType = (type: string | null): StaffWords | null => saidByType.get(type ?? '') ?? null

const saidByType: ReadonlyMap<string, StaffWords> = new Map<EventType, StaffWords>([
  ['walletCreated', walletWords.WALLET_CREATED],
  ['duplicateUser', duplicateWords.DUPLICATE_USER],
  ['senderNameMismatch', mismatchWords.SENDER_NAME_MISMATCH],
])
