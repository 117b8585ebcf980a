import { clsx } from 'clsx'
import { Time } from '#components/ui/time.tsx'
import { type Direction, finalRank, isDirection, usualPath } from '#lib/domain/delivery/steps.ts'
import type { EventDetailsView } from '#lib/events/event-view.ts'
import { formatDuration } from '#lib/labels/duration.ts'
import { stepLabel, type Tone } from '#lib/labels/event-labels.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

interface RailStep {
  readonly key: string
  readonly label: string
  readonly tone: Tone
  readonly state: 'passed' | 'here' | 'ahead'
  readonly at: string | null
  /** It happened before `at`, which is then the time of another step and gives no duration. */
  readonly before: boolean
  /** Seconds until the next step; null when one of the two has no time of its own. */
  readonly elapsedSeconds: number | null
}

/** The way a transaction has gone, with times and what lay between, and what usually lies ahead. */
export function StepRail({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const stops = railSteps(transaction)
  if (stops.length === 0) return null
  return (
    <div className="-mx-1.5 mt-6 overflow-x-auto">
      <ol
        aria-label="Steps"
        className="flex flex-col gap-0 pt-1 sm:min-w-max max-sm:px-1.5 sm:flex-row sm:pt-4"
      >
        {stops.map((stop, at) => (
          <li
            key={stop.key}
            data-tone={stop.tone}
            aria-current={stop.state === 'here' ? 'step' : undefined}
            className="relative flex gap-3 pb-4 pl-7 text-sm last:pb-0 sm:min-w-36 sm:flex-1 sm:flex-col sm:gap-0 sm:pt-7 sm:pr-4 sm:pb-1 sm:pl-1.5 sm:last:flex-none"
          >
            <Dot state={stop.state} />
            {at < stops.length - 1 && <Line ahead={stops[at + 1]?.state === 'ahead'} />}
            {stop.elapsedSeconds !== null && (
              <span className="mono order-last ml-auto text-muted text-xs sm:absolute sm:-top-2.5 sm:right-0 sm:left-6 sm:ml-0 sm:text-center">
                {stop.elapsedSeconds < 1 ? '< 1 s' : `+${formatDuration(stop.elapsedSeconds)}`}
              </span>
            )}
            <b className={clsx('font-stop', stop.state === 'ahead' && 'font-normal text-muted')}>
              {stop.label}
            </b>
            <span className="num text-muted">
              {stop.at === null ? (
                'not yet'
              ) : (
                <>
                  {stop.before && 'before '}
                  <Time at={stop.at} style="clock" />
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Dot({ state }: { readonly state: RailStep['state'] }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'absolute top-[5px] left-1 z-10 size-[11px] rounded-full sm:left-1.5',
        state === 'ahead'
          ? 'border-2 border-line-control border-dashed bg-bg'
          : 'bg-tone shadow-[0_0_0_4px_var(--tone-bg)]',
      )}
    />
  )
}

function Line({ ahead }: { readonly ahead: boolean }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'absolute top-5 bottom-0 left-[8.5px] w-0 border-l-2 sm:top-[9.5px] sm:right-0 sm:bottom-auto sm:left-6 sm:h-0 sm:w-auto sm:border-t-2 sm:border-l-0',
        ahead ? 'border-line-strong border-dashed' : 'border-tone/45',
      )}
    />
  )
}

function railSteps({ direction, events, step }: TransactionDetailsView): RailStep[] {
  const moves = events.filter((event) => isDirection(event.type))
  const succeeded = step === 'SUCCESS'
  const passed = moves.map((event, at): RailStep => {
    const last = at === moves.length - 1
    const { label, tone } = stepLabel(isDirection(event.type) ? event.type : direction, event.subType)
    return {
      key: event.id,
      label,
      tone: last || stepsThatStay.has(event.subType) ? tone : succeeded ? 'done' : 'move',
      state: last ? 'here' : 'passed',
      at: event.placedBefore ?? event.firstReceivedAt,
      before: event.placedBefore !== null,
      elapsedSeconds: elapsedBetween(event, moves[at + 1]),
    }
  })
  return [...passed, ...stepsAhead(direction, moves)]
}

/** Steps that stay visible although the transaction went on. */
const stepsThatStay: ReadonlySet<string | null> = new Set(['ON_HOLD', 'FAILED'])

/** Seconds from an event to the next, when both have a time of their own. */
function elapsedBetween(event: EventDetailsView, next: EventDetailsView | undefined): number | null {
  if (!next || event.placedBefore !== null || next.placedBefore !== null) return null
  const seconds = (Date.parse(next.firstReceivedAt) - Date.parse(event.firstReceivedAt)) / 1000
  return seconds >= 0 ? seconds : null
}

/** What usually follows, unless it has finished. */
function stepsAhead(direction: Direction | null, moves: readonly EventDetailsView[]): RailStep[] {
  const reached = Math.max(-1, ...moves.map((event) => event.rank ?? -1))
  if (direction === null || reached >= finalRank) return []
  return usualPath[direction].slice(reached + 1).map((step) => ({
    key: step,
    label: stepLabel(direction, step).label,
    tone: 'wait',
    state: 'ahead',
    at: null,
    before: false,
    elapsedSeconds: null,
  }))
}
