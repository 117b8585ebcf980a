import type { StateOf } from '#lib/deliveries/rules/event-states.ts'
import type { StaffWords } from '#lib/words/labels/tone.ts'

const nobody = 'No action needed.'
const askWithError = 'Ask the provider; give the ID and the error shown here.'
const askWhy = 'Ask the provider why, and whether it can be used again.'

/** The customer pays into this account. §6.3 */
export const fiatAccountWords = {
  ACTIVE: { label: 'Active', tone: 'done', meaning: 'The account is active.', next: nobody },
  WAITING_CREATION: {
    label: 'Being created',
    tone: 'wait',
    meaning: 'The account is waiting to be created.',
    next: 'No action needed. The customer cannot pay into it yet.',
  },
  FAILED_CREATION: {
    label: 'Creation failed',
    tone: 'fail',
    meaning: 'The account could not be created.',
    next: askWithError,
  },
  DISABLED: {
    label: 'Disabled',
    tone: 'back',
    meaning: 'The account is disabled.',
    next: `The customer should not pay into it. ${askWhy}`,
  },
} as const satisfies Record<StateOf<'unblockBankAccount'>, StaffWords>

/** Linked bank accounts need this profile first. §6.4 */
export const linkedProfileWords = {
  ACTIVE: {
    label: 'Active',
    tone: 'done',
    meaning: 'The profile for linked bank accounts is active.',
    next: 'No action needed. Bank accounts can be linked.',
  },
  WAITING_CREATION: {
    label: 'Being created',
    tone: 'wait',
    meaning: 'The profile for linked bank accounts is waiting to be created.',
    next: nobody,
  },
  FAILED_CREATION: {
    label: 'Creation failed',
    tone: 'fail',
    meaning: 'The profile for linked bank accounts could not be created.',
    next: askWithError,
  },
  DISABLED: {
    label: 'Disabled',
    tone: 'back',
    meaning: 'The profile for linked bank accounts is disabled.',
    next: askWhy,
  },
} as const satisfies Record<StateOf<'linkedBankAccountProfile'>, StaffWords>

/** The customer owns this bank account. §6.5 */
export const linkedAccountWords = {
  ACTIVE: { label: 'Active', tone: 'done', meaning: 'The bank account is linked.', next: nobody },
  CHECK_COMPLETED: {
    label: 'Check completed',
    tone: 'move',
    meaning: 'The check of the bank account is completed.',
    next: 'No action needed. It is not active yet.',
  },
  PENDING: {
    label: 'Pending',
    tone: 'wait',
    meaning: 'The bank account is not linked yet.',
    next: 'The customer may have to finish linking it at the bank.',
  },
  FAILED: {
    label: 'Failed',
    tone: 'fail',
    meaning: 'The bank account could not be linked.',
    next: askWithError,
  },
  DISABLED: {
    label: 'Disabled',
    tone: 'back',
    meaning: 'The linked bank account is disabled.',
    next: askWhy,
  },
} as const satisfies Record<StateOf<'linkBankAccount'>, StaffWords>
