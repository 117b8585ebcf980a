import { type Direction, isStep, type Step } from '#lib/domain/delivery/steps.ts'
import type { StatusLabel } from './event-labels.ts'
import { exchangeOf, type HeadlineFacts, successOf } from './headline.ts'

// The words in which customers are spoken to: no more than §6.1 and §6.2 say, and nothing of what they must not know.

const buying = {
  PENDING: ['Created', 'It was created, to be processed next.', 'wait'],
  IN_PROGRESS: ['Payment received', 'Your payment arrived, and processing began.', 'move'],
  CRYPTO_TRANSFER_ISSUED: ['On its way', 'Your stablecoin was sent to the network.', 'move'],
  FIAT_TRANSFER_ISSUED: ['On its way', 'The transfer was initiated.', 'move'],
  SUCCESS: ['Completed', 'This is finished.', 'done'],
  ON_HOLD: ['Paused', 'This is paused. You will see here when it goes on.', 'held'],
  FAILED: ['Not completed', 'This could not be completed. Support can tell you what to do.', 'fail'],
  LIMIT_BREACHED: ['Below the minimum', 'The amount is below the minimum.', 'fail'],
  REFUNDED: ['Refunded', 'Your money was refunded to you.', 'back'],
} as const satisfies Record<Step, readonly [string, string, StatusLabel['tone']]>

const selling = {
  ...buying,
  IN_PROGRESS: ['Stablecoin received', 'Your stablecoin arrived, and processing began.', 'move'],
  FIAT_TRANSFER_ISSUED: ['On its way', 'The transfer to your bank account was initiated.', 'move'],
  SUCCESS: ['Completed', 'The transfer to your bank account is complete.', 'done'],
  LIMIT_BREACHED: ['Below the minimum', 'What you sent is below the minimum for this chain.', 'fail'],
  REFUNDED: ['Refunded', 'What you sent was refunded to you.', 'back'],
} as const satisfies Record<Step, readonly [string, string, StatusLabel['tone']]>

/** Of a step that we have no words for. */
const unnamed = { label: 'In progress', meaning: 'We are working on it.', tone: 'move' } as const

/** A step as its customer reads it. */
export function customerStep(
  direction: Direction | null,
  step: string | null,
  reason: string | null = null,
): StatusLabel {
  if (!isStep(step)) return unnamed
  const [label, meaning, tone] = (direction === 'cryptoToFiat' ? selling : buying)[step]
  if (step === 'ON_HOLD' && reason === 'ON_HOLD_KYC')
    return { label, meaning: 'This is paused until your verification is complete.', tone }
  return { label, meaning, tone }
}

/** What happened to a customer's transaction, in one sentence. */
export function customerHeadline(transaction: HeadlineFacts, locale = 'en'): string {
  const { direction, step, reason } = transaction
  if (step === 'SUCCESS') {
    const success = successOf(transaction, locale)
    if (success !== null) return success
  }
  const { label } = customerStep(direction, step, reason)
  return `${exchangeOf(transaction, locale)}: ${label.charAt(0).toLowerCase()}${label.slice(1)}`
}

/** An account to pay into, §6.3, as its customer reads it. */
const accounts: ReadonlyMap<string, StatusLabel> = new Map([
  ['ACTIVE', { label: 'Active', meaning: 'You can pay into it.', tone: 'done' }],
  ['WAITING_CREATION', { label: 'Being created', meaning: 'Its number will appear here.', tone: 'wait' }],
  [
    'FAILED_CREATION',
    {
      label: 'Not created',
      meaning: 'It could not be created. Support can tell you what to do.',
      tone: 'fail',
    },
  ],
  ['DISABLED', { label: 'Disabled', meaning: 'It is disabled. Support can tell you why.', tone: 'back' }],
])

/** How an account stands; of a status that we have no words for support is asked. */
export const customerAccount = (status: string | null): StatusLabel =>
  accounts.get(status ?? '') ?? { label: 'Ask support', meaning: null, tone: 'wait' }
