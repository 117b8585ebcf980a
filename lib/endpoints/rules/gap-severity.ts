import type { GapKind, GapOutcome } from './gaps.ts'

interface Gap {
  readonly kind: GapKind
  /** Null while it lasts. */
  readonly endedAt: string | null
  readonly otherEndpoints: readonly { readonly isFullSubstitute: boolean }[]
  /** Until when what failed is sent again, or that some of it is not; null where it does not apply. */
  readonly retries: object | string | null
}

/**
 * Severity of a gap: an endpoint that delivered meanwhile, or pending retries, reduce the alarm but do not
 * hide the gap.
 */
export function gapSeverity(gap: Gap): 'info' | 'warning' | 'error' {
  if (isCovered(gap)) return 'info'
  if (gap.kind === 'deferred' && gap.retries !== null && typeof gap.retries === 'object') return 'info'
  return gap.endedAt || gap.kind === 'silent' || gap.kind === 'disabled' ? 'warning' : 'error'
}

interface Closed {
  readonly endedAt: string | null
  readonly closed: { readonly outcome: GapOutcome } | null
}

/** Nobody has to look for what was missed: what came of all of it was said, or it is covered. */
export const isSettled = (gap: Pick<Gap, 'otherEndpoints'> & Closed): boolean =>
  isFoundWhole(gap) || isCovered(gap)

/** What an admin found is true of all of it: found while it lasts, it says nothing of what was missed since. */
export const isFoundWhole = ({ endedAt, closed }: Closed): boolean =>
  closed !== null && (endedAt !== null || closed.outcome === 'no-gap')

/** Another endpoint was sent all that this one missed, as far as is known. */
export const isCovered = ({ otherEndpoints }: Pick<Gap, 'otherEndpoints'>): boolean =>
  otherEndpoints.some(({ isFullSubstitute }) => isFullSubstitute)
