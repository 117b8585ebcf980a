import type { Tone } from '#lib/labels/event-labels.ts'

/** ASSUMED: the user's status has these public values. It is an open set: one that we do not know may say what customers must not read. */
const known: ReadonlyMap<string, { readonly label: string; readonly tone: Tone }> = new Map([
  ['CREATED', { label: 'Not started', tone: 'wait' }],
  ['PHONE_VERIFICATION_NEEDED', { label: 'Phone number needed', tone: 'held' }],
  ['KYC_NEEDED', { label: 'Verification needed', tone: 'held' }],
  ['PENDING_KYC_DATA', { label: 'Waiting for your data', tone: 'held' }],
  ['KYC_PENDING', { label: 'Being verified', tone: 'move' }],
  ['FULL_USER', { label: 'Verified', tone: 'done' }],
  ['SOFT_KYC_FAILED', { label: 'Not verified, try again', tone: 'fail' }],
  ['HARD_KYC_FAILED', { label: 'Not verified', tone: 'fail' }],
  ['SUSPENDED', { label: 'Suspended', tone: 'fail' }],
])

/** The verification state that belongs to a user's status. */
export const verificationLabel = (status: string): { readonly label: string; readonly tone: Tone } =>
  known.get(status) ?? { label: 'Ask support', tone: 'wait' }
