import { Pill } from '#components/ui/pill.tsx'
import { movesOf } from '#lib/deliveries/rules/steps.ts'
import type { StandingDoubt, StandingView } from '#lib/people/standings/standings.ts'
import { doubtLabel } from '#lib/timeline/labels/doubt-label.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import type { TransactionStanding } from '#lib/transactions/rules/money.ts'
import { personStatuses } from '#lib/words/labels/worst-first.ts'

/** The pill shows the status of an account, a person or a company by one type, and its doubt. */
export function StandingPill({
  standing: { type, state, restricted, doubt },
}: {
  readonly standing: {
    readonly type: string
    readonly state: string | null
    readonly restricted: boolean
    readonly doubt?: string | null
  }
}) {
  const { label, tone } = eventLabel({ type, subType: state, status: state, restricted })
  const words = [label, doubt && doubtLabel(doubt)].filter(Boolean).join(' · ')
  return <Pill tone={tone}>{words}</Pill>
}

/** The standing is that of a transaction whose events are known. */
export const standingOf = ({
  direction,
  step,
  flags,
  events,
}: TransactionDetailsView): TransactionStanding => ({
  direction,
  step,
  conflict: flags.includes('conflict'),
  passed: movesOf(events, ({ type }) => type).map(({ subType }) => subType),
})

/**
 * The statuses of a person come with the worst first: their verification by the service or the events, whichever is later,
 * and everything that needs attention.
 */
export const PersonStatuses = ({
  person,
  standings,
  doubt = null,
}: {
  /** The directory's entry is null when it has none. */
  readonly person: Parameters<typeof personStatuses>[0]
  readonly standings: readonly StandingView[]
  /** This doubt is about the verification by the events. */
  readonly doubt?: StandingDoubt | null
}) =>
  personStatuses(
    person,
    standings.map((standing) => (standing.type === 'KYC' ? { ...standing, doubt } : standing)),
  ).map((standing) => <StandingPill key={standing.type} standing={standing} />)
