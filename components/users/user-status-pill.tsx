import type { Tone } from '#lib/labels/event-labels.ts'
import { Pill } from '../ui/pill.tsx'

/** How far the service has verified a user, in words for staff. */
export function UserStatusPill({ status }: { readonly status: string }) {
  const { label, tone } = known.get(status) ?? { label: status, tone: 'wait' as const }
  return <Pill tone={tone}>{label}</Pill>
}

/** ASSUMED: the user's status has these public values; it is an open set, and one we do not know is shown as it is. */
const known: ReadonlyMap<string, { readonly label: string; readonly tone: Tone }> = new Map([
  ['CREATED', { label: 'Created', tone: 'wait' }],
  ['PHONE_VERIFICATION_NEEDED', { label: 'Needs a phone number', tone: 'held' }],
  ['KYC_NEEDED', { label: 'Needs verification', tone: 'held' }],
  ['PENDING_KYC_DATA', { label: 'Owes data', tone: 'held' }],
  ['KYC_PENDING', { label: 'Being verified', tone: 'move' }],
  ['FULL_USER', { label: 'Verified', tone: 'done' }],
  ['SOFT_KYC_FAILED', { label: 'Failed, may try again', tone: 'fail' }],
  ['HARD_KYC_FAILED', { label: 'Failed for good', tone: 'fail' }],
  ['SUSPENDED', { label: 'Suspended', tone: 'fail' }],
])
