import type { StandingDoubt, StandingView } from '#lib/people/standings/standing-view.ts'
import { personStatuses } from '#lib/words/labels/worst-first.ts'
import { StandingPill } from './standing-pill.tsx'

/** How a person stands, the worst first: the service's word of their verification, or what the events say, and what needs a look. */
export const PersonStatuses = ({
  status,
  standings,
  doubt = null,
}: {
  readonly status: string | null
  readonly standings: readonly StandingView[]
  /** A doubt that the events raise about the verification. */
  readonly doubt?: StandingDoubt | null
}) =>
  personStatuses(status, standings).map((standing) => (
    <StandingPill
      key={standing.type}
      standing={standing.type === 'KYC' ? { ...standing, doubt } : standing}
    />
  ))
