import 'server-only'
import type { NewEventReason, SameReason } from '../rules/decide-repeat.ts'

/** A reason as it stands in a row. The rules up to version 4 used other words, which stay until a rebuild reaches the row. */
export type StoredReason = SameReason | OldReason

type OldReason =
  | (Omit<Extract<SameReason, { kind: 'retry' }>, 'kind'> & { readonly kind: 'ladder' })
  | (Omit<Extract<SameReason, { kind: 'happened-again' }>, 'because'> & { readonly because: OldBecause })

type OldBecause = keyof typeof newWords

const newWords = {
  'window-over': 'after-retry-window',
  'another-between': 'other-event-between',
  'both-endpoints': 'repeated-by-two-endpoints',
  'younger-endpoint': 'endpoint-created-later',
} as const satisfies Record<string, NewEventReason>

/** The same reason in the words of today. */
export function fromStoredReason(reason: StoredReason): SameReason {
  if (reason.kind === 'ladder') return { ...reason, kind: 'retry' }
  if (reason.kind === 'happened-again') return { ...reason, because: newWordOf(reason.because) }
  return reason
}

const newWordOf = (because: NewEventReason | OldBecause): NewEventReason =>
  isOld(because) ? newWords[because] : because

const isOld = (because: NewEventReason | OldBecause): because is OldBecause =>
  Object.hasOwn(newWords, because)
