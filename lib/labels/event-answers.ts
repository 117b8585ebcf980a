import { type StateOf, stateOf } from '#lib/domain/delivery/event-states.ts'
import type { EventType } from '#lib/domain/delivery/event-types.ts'
import { type Direction, isDirection } from '#lib/domain/delivery/steps.ts'
import { customerAccount, customerStep } from './customer-labels.ts'
import { englishSentences } from './english-sentences.ts'
import { eventLabel, type ShownKind } from './event-labels.ts'

/** What staff can tell a customer about where something stands. */
export interface CustomerAnswer {
  /** What to say, in the words in which customers are spoken to; null where there is nothing to tell. */
  readonly say: string | null
  /** Does the money come back, where to: null where no money is about. */
  readonly back: string | null
  /** Who must act. */
  readonly act: string
  /** What the customer must not hear. */
  readonly caution: string | null
}

/**
 * The answer to "what can I tell the customer?". Of a check that a customer must not know of it is the one sentence of every
 * hold, which hints at nothing.
 */
export function customerAnswer(event: ShownKind): CustomerAnswer {
  const { type } = event
  const act = eventLabel(event).next ?? 'Ask the provider.'
  if (isDirection(type)) return ofTransaction(type, event, act)
  if (isSecret(type))
    return { say: neutral, back: type === 'senderNameMismatch' ? undecided : null, act: wait, caution }
  return { say: sentenceOf(event), back: null, act, caution: null }
}

function ofTransaction(type: Direction, { subType, status }: ShownKind, act: string): CustomerAnswer {
  const say = customerStep(englishSentences, type, subType, status).meaning
  const back = backOf.get(subType ?? '') ?? 'That is not said: ask the provider.'
  const isHidden = subType === 'ON_HOLD' && status !== 'ON_HOLD_KYC'
  return { say, back, act: isHidden ? wait : act, caution: isHidden ? cautionOfHold : null }
}

/** The sentence of every hold but one for verification. */
const neutral = customerStep(englishSentences, 'fiatToCrypto', 'ON_HOLD').meaning

const wait = 'The customer need not do anything. If it lasts, ask the provider.'
const caution = 'Say no more than this: that there was a check, and what it found, is not for the customer.'
const cautionOfHold = 'Say no more than this, whatever the reason may be.'

/** The types of which a customer must not even know that there was one. */
const secret: ReadonlySet<string> = new Set<EventType>([
  'AML',
  'duplicateUser',
  'senderNameMismatch',
  'entityStatusUpdate',
])
const isSecret = (type: string | null) => type !== null && secret.has(type)

const undecided = 'That is not decided: it goes on, or it is refunded.'
const whereTo = 'Where to is not said: ask the provider.'

const backOf: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'Nothing was received yet, so nothing goes back.'],
  ['IN_PROGRESS', 'It is under way, and does not go back.'],
  ['CRYPTO_TRANSFER_ISSUED', 'No: the stablecoin is on its way to the wallet.'],
  ['FIAT_TRANSFER_ISSUED', 'No: the fiat is on its way to the bank account.'],
  ['SUCCESS', 'No: it is finished.'],
  ['ON_HOLD', undecided],
  ['FAILED', `That is not said yet: a refund is told by an event of its own. ${whereTo}`],
  ['LIMIT_BREACHED', `That is not said yet: a refund is told by an event of its own. ${whereTo}`],
  ['REFUNDED', `Yes: it was refunded. ${whereTo}`],
])

/** Of what customers are not shown in these words elsewhere. */
const verification = {
  CREATED: 'Your verification has not begun. Please begin it.',
  PHONE_VERIFICATION_NEEDED: 'Please verify your phone number.',
  KYC_NEEDED: 'Please verify yourself.',
  PENDING_KYC_DATA: 'Your verification waits for data from you.',
  KYC_PENDING: 'Your verification is under way.',
  FULL_USER: 'You are verified.',
  SOFT_KYC_FAILED: 'Your verification did not succeed. Please try again.',
  HARD_KYC_FAILED: 'Your verification did not succeed. We ask what can be done.',
  SUSPENDED: 'Your account is suspended. We ask what can be done.',
} as const satisfies Record<StateOf<'KYC'>, string>

const company = {
  KYB_PENDING: 'The verification of your company is under way.',
  KYB_PASSED: 'Your company is verified.',
  KYB_FAILED: 'The verification of your company did not succeed. We ask what can be done.',
} as const satisfies Record<StateOf<'KYB'>, string>

const linked = {
  ACTIVE: 'Your bank account is linked.',
  CHECK_COMPLETED: 'Your bank account was checked, and is linked next.',
  PENDING: 'Your bank account is not linked yet. Please finish linking it.',
  FAILED: 'Your bank account could not be linked. We ask what can be done.',
  DISABLED: 'Your linked bank account is disabled. We ask why.',
} as const satisfies Record<StateOf<'linkBankAccount'>, string>

const profile = {
  ACTIVE: 'You can link bank accounts.',
  WAITING_CREATION: 'You can link bank accounts soon.',
  FAILED_CREATION: 'Bank accounts cannot be linked yet. We ask what can be done.',
  DISABLED: 'Bank accounts cannot be linked now. We ask why.',
} as const satisfies Record<StateOf<'linkedBankAccountProfile'>, string>

const code = {
  EMAIL_DELIVERY_FAILED:
    'The e-mail with your code came back. Please check the address, or sign in by wallet.',
} as const satisfies Record<StateOf<'otpNotification'>, string>

const sentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    KYC: verification,
    KYB: company,
    linkBankAccount: linked,
    linkedBankAccountProfile: profile,
    otpNotification: code,
  }).map(([type, states]) => [type, new Map(Object.entries(states))]),
)

function sentenceOf(event: ShownKind): string | null {
  if (event.type === 'unblockBankAccount') return customerAccount(englishSentences, event.status).meaning
  return sentences.get(event.type ?? '')?.get(stateOf(event) ?? '') ?? null
}
