import { UndecidedState } from '#components/timeline/event-marks.tsx'
import { Card } from '#components/ui/card.tsx'
import { Time } from '#components/ui/time.tsx'
import type { PersonDetailsView } from '#lib/people/get-person.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { worstFirst } from '#lib/words/labels/worst-first.ts'
import { StandingPill } from './standing-pill.tsx'

/** What was last said of a person or company itself, of each type: the state, what it means, who must act. */
export function PersonStandings({
  standings,
  undecided,
}: {
  readonly standings: PersonDetailsView['standings']
  /** Its events on whose doubt a standing hangs. */
  readonly undecided: readonly EventView[]
}) {
  if (standings.length === 0) return null
  return (
    <Card title="Verification and checks">
      <ul className="grid gap-3">
        {worstFirst(standings).map((standing) => {
          const { type, state, restricted, lastMoveAt } = standing
          const { meaning, next } = eventLabel({ type, subType: state, status: state, restricted })
          return (
            <li key={type} className="min-w-0 text-table">
              <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
                <span className="min-w-28 font-label">{eventTypeLabel(type).label}</span>
                <span className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-2.5 gap-y-1">
                  <StandingPill standing={standing} />
                  <Time at={lastMoveAt} className="num text-muted text-xs" />
                </span>
              </p>
              <p className="mt-0.5 text-muted">
                {meaning ?? eventTypeLabel(type).meaning} {next}
              </p>
              <UndecidedState events={undecided.filter((event) => event.type === type)} />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
