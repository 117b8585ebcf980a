import { type EventKind, type StateOf, stateOf } from '#lib/deliveries/rules/event-states.ts'
import { type EventType, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import type { VerificationTurn } from '#lib/transactions/rules/circumstances.ts'
import { isRefundDoubted, type Refund } from '#lib/transactions/rules/refund.ts'
import type { StaffLabel, StaffWords } from '#lib/words/labels/tone.ts'
import {
  amlWords,
  codeWords,
  duplicateWords,
  entityWords,
  fiatAccountWords,
  kybWords,
  kycWords,
  linkedAccountWords,
  linkedProfileWords,
  mismatchWords,
  walletWords,
} from './event-person-words.ts'
import {
  cryptoToFiatWords,
  fiatToCryptoWords,
  type ReasonWords,
  reasonWords,
} from './event-transaction-words.ts'

export type { EventKind } from '#lib/deliveries/rules/event-states.ts'
export type { Tone } from '#lib/words/labels/tone.ts'

/** `ShownKind` is an event as far as the role may see it. */
export interface ShownKind extends EventKind {
  /** Other roles see more of the event. */
  readonly restricted?: boolean
  /** `conflict`: another outcome of its transaction contradicts it. */
  readonly flags?: readonly string[]
  /** True when the transaction is stuck at this step, see `isStuck`. */
  readonly stuck?: boolean
  /** The transaction is held for KYC, and the verification is at this turn. */
  readonly turn?: VerificationTurn | null
  /** The event reports this refund, see `refundOf`. */
  readonly refund?: Refund | null
  /** The event belongs to this transaction, at its present status; null for an event of no transaction. */
  readonly transaction?: ShownKind | null
}

/**
 * Any event has a label: its step, its status, or its name. An unknown type or state is shown as it came. The
 * type itself is shown beside the label.
 */
export function eventLabel(event: ShownKind): StaffLabel {
  const label = labelOf(event)
  if (!event.stuck || isContradicted(event)) return label
  // Another event, such as a passed check, needs no action either; this must not hide that the transaction is late.
  if (!isDirection(event.type)) return asksNobody(label.next) ? { ...label, next: null } : label
  return { ...label, next: 'This takes longer than usual. Ask the provider.' }
}

export const asksNobody = (next: string | null) => next?.startsWith('No action needed') ?? false

function labelOf(event: ShownKind): StaffLabel {
  const { type } = event
  const state = visible(stateOf(event))
  const words = findWords(type, state)
  const reason = reasons.get(event.status ?? '')
  if (isDirection(type)) {
    if (state === 'ON_HOLD' && words && reason)
      return {
        ...words,
        ...reason,
        ...(event.status === 'ON_HOLD_KYC' && nextOfTurn[event.turn ?? 'customer']),
      }
    const label = words ?? { ...stepLabel(type, state), meaning: null, next: null }
    if (isContradicted(event)) return { ...label, next: 'Ask the provider which outcome is right.' }
    const { refund, flags = [] } = event
    const isDoubted = refund !== undefined && isRefundDoubted(state, refund, flags)
    return isDoubted ? { ...label, next: askAboutRefund } : label
  }
  const said = words ?? wordsOfType(type)
  if (said) return said
  const known = isEventType(type)
  if (known && state === null && event.restricted) return forOthers
  const next = known && state !== null ? ask(state) : null
  const label = state ?? (known ? 'No status' : 'Unknown')
  return { label, meaning: null, tone: 'wait', next }
}

const nextOfTurn = {
  customer: {},
  provider: { next: 'No action needed here. The provider decides on the verification.' },
  verified: { next: 'The customer is verified by now: ask the provider to release it.' },
  refused: { next: 'The customer was refused or suspended: ask the provider what is needed.' },
} as const satisfies Record<VerificationTurn, Partial<ReasonWords>>

export const askAboutRefund = 'Ask the provider how much went back.'

const reasons: ReadonlyMap<string, ReasonWords> = new Map(Object.entries(reasonWords))

/** Only events of transactions have this flag. */
export const isContradicted = ({ flags }: ShownKind): boolean => flags?.includes('conflict') ?? false

const forOthers = {
  label: 'For compliance',
  meaning: 'Your role cannot read the result.',
  tone: 'wait',
  next: 'Ask compliance. The customer must not be told of it.',
} as const

const ask = (state: string) => `Ask the provider what “${state}” means.`

/** The raw state is shown beside the label when it differs. */
export function rawState(event: ShownKind): string | null {
  const raw = visible(event.status) ?? (isDirection(event.type) ? null : visible(event.subType))
  return raw === eventLabel(event).label ? null : raw
}

/** Dots are not a value: the role may ask to reveal it. */
const visible = (text: string | null) => (text === '•••' ? null : text)

/** Each state of each type has a label, a meaning and a next action: a state without them does not compile. */
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

/** The words of the state of an event; null when it has none. */
export const findWords = (type: string | null, state: string | null): StaffWords | null =>
  byState.get(type ?? '')?.get(state ?? '') ?? null

/** The name of such a type says what happened, whatever its `subType`, which §6.7 does not show. */
const wordsOfType = (type: string | null): StaffWords | null => saidByType.get(type ?? '') ?? null

const saidByType: ReadonlyMap<string, StaffWords> = new Map<EventType, StaffWords>([
  ['walletCreated', walletWords.WALLET_CREATED],
  ['duplicateUser', duplicateWords.DUPLICATE_USER],
  ['senderNameMismatch', mismatchWords.SENDER_NAME_MISMATCH],
])
