import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** ASSUMED: the user's status has these public values. It is an open set: one that we do not know may say what customers must not read. */
const tones = {
  CREATED: 'wait',
  PHONE_VERIFICATION_NEEDED: 'held',
  KYC_NEEDED: 'held',
  PENDING_KYC_DATA: 'held',
  KYC_PENDING: 'move',
  FULL_USER: 'done',
  SOFT_KYC_FAILED: 'fail',
  HARD_KYC_FAILED: 'fail',
  SUSPENDED: 'fail',
  unnamed: 'wait',
} as const satisfies Record<string, Tone>

/** Those in which it is the customer who must go on. */
const customersTurn: ReadonlySet<string> = new Set([
  'CREATED',
  'PHONE_VERIFICATION_NEEDED',
  'KYC_NEEDED',
  'PENDING_KYC_DATA',
  'SOFT_KYC_FAILED',
])

/** The verification state that belongs to a user's status. */
export function verificationLabel(words: CustomerWords, status: string) {
  const known = isKnown(status) ? status : 'unnamed'
  return { label: words(`verification.${known}`), tone: tones[known], yourTurn: customersTurn.has(known) }
}

const isKnown = (status: string): status is keyof typeof tones => Object.hasOwn(tones, status)
