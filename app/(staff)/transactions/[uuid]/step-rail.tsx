import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { StatedAmount } from '#components/ui/shared/amount.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { Time } from '#components/ui/time.tsx'
import { type Direction, finalRank, isDirection, movesOf, usualPath } from '#lib/deliveries/rules/steps.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { factsOf } from '#lib/timeline/labels/event-facts.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { beginOf } from '#lib/transactions/rules/circumstances.ts'
import type { Refund } from '#lib/transactions/rules/refund.ts'
import { shownSeconds } from '#lib/transactions/rules/transaction.ts'
import type { UsualNext } from '#lib/transactions/rules/usual-next.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { counted } from '#lib/words/labels/formats.ts'
import { formatMoney } from '#lib/words/labels/money.ts'

interface RailStep {
  readonly key: string
  readonly label: string
  readonly tone: Tone
  readonly state: 'passed' | 'here' | 'ahead'
  readonly at: string | null
  /** `before`: the step happened before `at`, which is then the time of another step and gives no duration. */
  readonly before: boolean
  /** The next step came after this many seconds; null when one of the two has no time of its own. */
  readonly elapsedSeconds: number | null
  /** The transaction has been at this step since then, as its heading says; null elsewhere, and once it has finished. */
  readonly since: string | null
}

/**
 * The rail shows the steps of a transaction with times and durations, and the steps that usually follow. It is one
 * row when all of it fits.
 */
export function StepRail({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const stops = railSteps(transaction)
  if (stops.length === 0) return null
  return (
    <div className="@container mt-6">
      <ol
        aria-label="Steps"
        data-stops={Math.max(4, stops.length)}
        className="-mx-1.5 flex flex-col px-1.5 pt-1 rail-fits:flex-row rail-fits:px-0 rail-fits:pt-4"
      >
        {stops.map((stop, at) => (
          <li
            key={stop.key}
            data-tone={stop.tone}
            aria-current={stop.state === 'here' ? 'step' : undefined}
            className="relative flex flex-wrap gap-x-3 pb-4 pl-7 text-sm last:pb-0 rail-fits:min-w-0 rail-fits:flex-1 rail-fits:flex-col rail-fits:pt-7 rail-fits:pr-4 rail-fits:pb-1 rail-fits:pl-1.5 rail-fits:last:flex-none"
          >
            <Dot state={stop.state} />
            {at < stops.length - 1 && <Line ahead={stops[at + 1]?.state === 'ahead'} />}
            {stop.elapsedSeconds !== null && (
              <span className="mono order-last ml-auto text-muted text-xs rail-fits:absolute rail-fits:-top-2.5 rail-fits:right-0 rail-fits:left-6 rail-fits:ml-0 rail-fits:text-center">
                {stop.elapsedSeconds < 1 ? '< 1 s' : `+${formatDuration(stop.elapsedSeconds)}`}
              </span>
            )}
            <b className={stop.state === 'ahead' ? 'font-normal text-muted' : 'font-stop'}>{stop.label}</b>
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
            {stop.since !== null && (
              <span className="num ml-auto text-tone rail-fits:ml-0">
                for <Time at={stop.since} style="elapsed" />
              </span>
            )}
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
        'absolute top-[0.3125rem] left-1 z-10 size-[0.6875rem] rounded-full rail-fits:left-1.5',
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
        'absolute top-5 bottom-0 left-[0.53125rem] w-0 border-l-2 rail-fits:top-[0.59375rem] rail-fits:right-0 rail-fits:bottom-auto rail-fits:left-6 rail-fits:h-0 rail-fits:w-auto rail-fits:border-t-2 rail-fits:border-l-0',
        ahead ? 'border-line-strong border-dashed' : 'border-tone/45',
      )}
    />
  )
}

type RailEvent = Pick<
  EventDetailsView,
  'id' | 'type' | 'subType' | 'status' | 'rank' | 'firstReceivedAt' | 'placedBefore'
>

interface RailFacts extends Pick<TransactionDetailsView, 'direction' | 'step' | 'finishedAt'> {
  readonly events: readonly RailEvent[]
}

/**
 * A step that may not be the current one can follow it, such as one that no rule knows. A hold that is reported again lasts
 * from its first report.
 */
export function railSteps({ direction, events, step, finishedAt }: RailFacts): RailStep[] {
  const moves = movesOf(events, ({ type }) => type)
  const succeeded = step === 'SUCCESS'
  const here = moves.findLastIndex(({ subType }) => subType === step)
  const began = beginOf(moves, step)
  const since = finishedAt === null && began?.placedBefore === null ? began.firstReceivedAt : null
  const passed = moves.map((event, at): RailStep => {
    const { label, tone } = stepLabel(direction, event.subType)
    return {
      key: event.id,
      label,
      tone: at === here || stepsThatStay.has(event.subType) ? tone : succeeded ? 'done' : 'move',
      state: at === here ? 'here' : 'passed',
      at: event.placedBefore ?? event.firstReceivedAt,
      before: event.placedBefore !== null,
      elapsedSeconds: elapsedBetween(event, moves[at + 1]),
      since: at === here ? since : null,
    }
  })
  return [...passed, ...stepsAhead(direction, moves)]
}

/** These steps stay visible although the transaction went on, or another final step contradicts them. */
const stepsThatStay: ReadonlySet<string | null> = new Set(['ON_HOLD', 'FAILED', 'SUCCESS', 'REFUNDED'])

/**
 * The seconds from an event to the next are the difference of their shown times; null unless both have a time of
 * their own.
 */
function elapsedBetween(event: RailEvent, next: RailEvent | undefined): number | null {
  if (!next || event.placedBefore !== null || next.placedBefore !== null) return null
  const [from, to] = [Date.parse(event.firstReceivedAt), Date.parse(next.firstReceivedAt)]
  return to < from ? null : shownSeconds(from, to)
}

/**
 * These steps usually follow; none once the transaction has finished. Any step means that the transaction was created, which
 * is all that PENDING says (§6.1).
 */
function stepsAhead(direction: Direction | null, moves: readonly RailEvent[]): RailStep[] {
  const reached = Math.max(-1, ...moves.map((event) => event.rank ?? 0))
  if (direction === null || reached >= finalRank) return []
  return usualPath[direction].slice(reached + 1).map((step) => ({
    key: step,
    label: stepLabel(direction, step).label,
    tone: 'wait',
    state: 'ahead',
    at: null,
    before: false,
    elapsedSeconds: null,
    since: null,
  }))
}

/** The merchant’s own history gives what followed this step. */
export function UsuallyNext({
  direction,
  usual: { count, nexts },
  stuck,
}: {
  readonly direction: Direction | null
  readonly usual: UsualNext
  /** `stuck`: the transaction is late, so the text leaves out how soon others went on. */
  readonly stuck: boolean
}) {
  return (
    <section aria-label="What usually comes next" className="mt-3 text-muted text-sm">
      <p>
        Usually next:{' '}
        {nexts.map(({ step, ofHundred, halfMs }, at) => (
          <span key={step}>
            {at > 0 && ', '}
            <span className={at === 0 ? 'text-text' : undefined}>{stepLabel(direction, step).label}</span>
            {at === 0 && halfMs !== null && !stuck && ` after about ${formatDuration(halfMs / 1000)}`}{' '}
            <span className="num">({at === 0 ? `${ofHundred} of 100` : ofHundred})</span>
          </span>
        ))}
        . Based on {counted(count, 'status change', 'status changes')} of the last 14 days.
      </p>
    </section>
  )
}

/**
 * The facts are the amounts and ids of a step as its own event gave them. The transaction has the latest of each.
 * @param refund the refund of the event; what came in may be known from others
 */
export function stepFacts(
  event: Pick<EventDetailsView, 'type' | 'subType' | 'body'>,
  refund: Refund | null,
): ReactNode {
  const { type } = event
  if (!isDirection(type)) return null
  const given = new Map(factsOf(event).map((fact) => [fact.path, fact]))
  const amountOf = (path: string) => {
    const fact = given.get(path)
    return fact && <StatedAmount value={fact.value} currency={fact.currency} />
  }
  const crypto = amountOf('amountCrypto')
  switch (event.subType) {
    case 'CRYPTO_TRANSFER_ISSUED': {
      const hash = given.get('transactionHash')
      return (
        (crypto || hash) && (
          <>
            {crypto}
            {hash && (
              <>
                <span className="text-muted">in transaction</span>
                <ExplorerLink kind="tx" value={hash.value} chain={hash.chain} />
              </>
            )}
          </>
        )
      )
    }
    case 'FIAT_TRANSFER_ISSUED':
      return amountOf('amountFiat')
    case 'LIMIT_BREACHED':
      return (
        <>
          {crypto ?? 'An amount'} <span className="text-muted">sent, the limit is</span>
          {amountOf('limit') ?? <StatedAmount value={null} currency={null} />}
        </>
      )
    case 'REFUNDED':
      return (
        refund &&
        given.has('amountRefunded') && (
          <>
            <span className="text-muted">Amount refunded</span>
            <StatedAmount value={refund.amount} currency={refund.currency} />
            {refund.of && <span className="text-muted">of {formatMoney(refund.of, refund.currency)}</span>}
          </>
        )
      )
    default:
      return null
  }
}
