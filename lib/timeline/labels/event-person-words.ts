import type { StateOf } from '#lib/deliveries/rules/event-states.ts'
import type { StaffWords } from '#lib/words/labels/tone.ts'

// §6.7 shows none of these states. ASSUMED: their names and meanings.

const nobody = 'No action needed.'
const customer = 'The customer must continue their verification.'

export const kycWords = {
  CREATED: {
    label: 'Created',
    tone: 'wait',
    meaning: 'The user was created; verification has not begun.',
    next: 'The customer must begin verification.',
  },
  PHONE_VERIFICATION_NEEDED: {
    label: 'Needs a phone number',
    tone: 'held',
    meaning: 'A phone number must be verified.',
    next: customer,
  },
  KYC_NEEDED: {
    label: 'Needs verification',
    tone: 'held',
    meaning: 'Verification is needed.',
    next: 'The customer must begin verification.',
  },
  PENDING_KYC_DATA: {
    label: 'Data missing',
    tone: 'held',
    meaning: 'Data for the verification is missing.',
    next: customer,
  },
  KYC_PENDING: {
    label: 'Being verified',
    tone: 'move',
    meaning: 'Verification is under way.',
    next: 'No action needed here. The provider decides.',
  },
  FULL_USER: { label: 'Verified', tone: 'done', meaning: 'The user is verified.', next: nobody },
  SOFT_KYC_FAILED: {
    label: 'Not verified (retry allowed)',
    tone: 'fail',
    meaning: 'Verification failed, and can be tried again.',
    next: 'The customer must try again.',
  },
  HARD_KYC_FAILED: {
    label: 'Not verified (final)',
    tone: 'fail',
    meaning: 'Verification failed for good.',
    next: 'The customer cannot try again. Ask the provider why.',
  },
  SUSPENDED: {
    label: 'Suspended',
    tone: 'fail',
    meaning: 'The user is suspended.',
    next: 'Compliance decides; ask the provider why.',
  },
} as const satisfies Record<StateOf<'KYC'>, StaffWords>

export const kybWords = {
  KYB_PENDING: {
    label: 'Being verified',
    tone: 'move',
    meaning: 'The verification of the company is under way.',
    next: 'No action needed here. The provider decides.',
  },
  KYB_PASSED: { label: 'Verified', tone: 'done', meaning: 'The company is verified.', next: nobody },
  KYB_FAILED: {
    label: 'Not verified',
    tone: 'fail',
    meaning: 'The verification of the company failed.',
    next: 'Ask the provider why, and whether the company may try again.',
  },
} as const satisfies Record<StateOf<'KYB'>, StaffWords>

export const amlWords = {
  IN_REVIEW: {
    label: 'In review',
    tone: 'held',
    meaning: 'A check against money laundering is in review.',
    next: 'The provider decides. The customer must not be told of the check.',
  },
  PASSED: {
    label: 'Nothing found',
    tone: 'done',
    meaning: 'A check against money laundering found nothing.',
    next: nobody,
  },
  FAILED: {
    label: 'Check failed',
    tone: 'fail',
    meaning: 'A check against money laundering failed.',
    next: 'Compliance must act. The customer must not be told of the check.',
  },
} as const satisfies Record<StateOf<'AML'>, StaffWords>

export const entityWords = {
  ACTIVE: { label: 'Active', tone: 'done', meaning: 'The company is active.', next: nobody },
  SUSPENDED: {
    label: 'Suspended',
    tone: 'fail',
    meaning: 'The company is suspended.',
    next: 'Compliance decides; ask the provider why.',
  },
} as const satisfies Record<StateOf<'entityStatusUpdate'>, StaffWords>

export const walletWords = {
  WALLET_CREATED: {
    label: 'Created',
    tone: 'done',
    meaning: 'A wallet was created for the user.',
    next: nobody,
  },
} as const satisfies Record<StateOf<'walletCreated'>, StaffWords>

export const duplicateWords = {
  DUPLICATE_USER: {
    label: 'Duplicate',
    tone: 'held',
    meaning: 'The user was found to be a duplicate of another.',
    next: 'Compliance compares the two. The customer must not be told whom they resemble.',
  },
} as const satisfies Record<StateOf<'duplicateUser'>, StaffWords>

export const mismatchWords = {
  SENDER_NAME_MISMATCH: {
    label: 'Name differs',
    tone: 'held',
    meaning: 'The name of the sender is not the one that was expected.',
    next: 'Compliance compares the names. The customer must not be told of the comparison.',
  },
} as const satisfies Record<StateOf<'senderNameMismatch'>, StaffWords>

/** §6.6 */
export const codeWords = {
  EMAIL_DELIVERY_FAILED: {
    label: 'E-mail bounced',
    tone: 'fail',
    meaning: 'The e-mail carrying the one-time password bounced.',
    next: 'Compare the address with the customer: it cannot be changed here. They can sign in by wallet meanwhile.',
  },
} as const satisfies Record<StateOf<'otpNotification'>, StaffWords>

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
