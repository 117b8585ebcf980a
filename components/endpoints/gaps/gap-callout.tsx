import type { ReactNode } from 'react'
import { Callout, type CalloutKind } from '#components/ui/callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { GapDetailsView, GapPage } from '#lib/endpoints/gaps/gaps.ts'
import {
  type GapOutcome,
  gapSeverity,
  isCovered,
  isFoundWhole,
  missesDeliveries,
} from '#lib/endpoints/rules/gaps.ts'
import { counted } from '#lib/words/labels/formats.ts'
import { gapMeaning, gapTitle, otherEndpointsMessage, refusalRemedy } from './gap-labels.ts'

/**
 * The callout says when deliveries may be missing, or that another endpoint was sent the same. Its children say
 * what that means for the page.
 */
export const GapCallout = ({
  gap,
  kind,
  actions,
  children,
}: {
  readonly gap: GapView
  readonly kind: CalloutKind
  readonly actions: ReactNode
  readonly children: ReactNode
}) => (
  <Callout
    kind={kind}
    title={
      isCovered(gap) ? (
        <>
          One endpoint may have missed deliveries <GapTime gap={gap} />; another has the same events
        </>
      ) : (
        <MissingDeliveries gap={gap} />
      )
    }
    actions={actions}
  >
    {children}
  </Callout>
)

/**
 * A closed gap shows its outcome. An open one shows what may be missing, or that it comes again (§6.8), and why.
 * `now` is in ms since 1970.
 */
export function GapLead({ gap, now }: { readonly gap: GapView; readonly now: number }) {
  if (gap.closed) return <GapFinding gap={gap} />
  return (
    <>
      {isComingAgain(gap, now) ? (
        <>
          Deliveries <GapTime gap={gap} /> are retried.
        </>
      ) : (
        <GapFinding gap={gap} />
      )}{' '}
      {gapMeaning(gap)} {otherEndpointsMessage(gap)}
    </>
  )
}

const isComingAgain = (gap: GapView, now: number) => gap.kind === 'deferred' && areRetriesPending(gap, now)

/** The sentence gives the outcome of a closed gap. For an open one it says what may be missing. */
export function GapFinding({ gap }: { readonly gap: GapView }) {
  if (gap.closed && !isFoundWhole(gap))
    return (
      <>
        {outcomes[gap.closed.outcome](<GapTime gap={{ ...gap, endedAt: gap.closed.at }} />)}
        {!isCovered(gap) && ' Later ones may be missing.'}
      </>
    )
  const time = <GapTime gap={gap} />
  if (gap.closed) return outcomes[gap.closed.outcome](time)
  if (isCovered(gap)) return <>One endpoint may have missed deliveries {time}.</>
  return (
    <>
      <MissingDeliveries gap={gap} />.
    </>
  )
}

/**
 * The text has no full stop. Deliveries may be missing; after a restore they surely are, if there were any. Nothing is known
 * to be missing where the service could not be asked, but still delivered.
 */
function MissingDeliveries({ gap }: { readonly gap: GapView }) {
  const time = <GapTime gap={gap} />
  if (gap.kind === 'restored')
    return <>Deliveries that were acknowledged {time} are no longer here, and will not be sent again</>
  if (!missesDeliveries(gap.kind)) return <>Whether an endpoint was off {time} is not known</>
  return <>Deliveries may be missing {time}</>
}

const outcomes = {
  'nothing-missing': (time) => <>Checked: no deliveries are missing {time}.</>,
  recovered: (time) => <>Deliveries were missing {time}, and have been recovered.</>,
  'some-missing': (time) => <>Deliveries are missing {time} for good.</>,
  'no-gap': (time) => <>What was seen {time} was a false alarm.</>,
} as const satisfies Record<GapOutcome, (time: ReactNode) => ReactNode>

type Gap = Pick<
  GapDetailsView,
  'kind' | 'closed' | 'endedAt' | 'otherEndpoints' | 'reasons' | 'retries' | 'unheard' | 'total'
>

/**
 * The text says in a sentence or two what to do about a gap. Null when the gap is closed, or lasts and no open
 * transaction is unaccounted for. Failed deliveries are retried (§6.8). `now` is in ms since 1970.
 */
export function gapNextStep(gap: Gap, now: number): string | null {
  const { closed, endedAt, unheard, total } = gap
  if (closed) return null
  if (!missesDeliveries(gap.kind)) {
    if (endedAt !== null)
      return 'Check with the provider that no endpoint was off. Then an admin can close this with an outcome.'
    return gap.kind === 'key-refused'
      ? 'An admin gives a valid key on the page Settings.'
      : 'Check the way to the provider, and its status page.'
  }
  if (areRetriesPending(gap, now))
    return gap.kind === 'deferred'
      ? 'Nothing is lost: failed deliveries are retried, and this closes once they succeed.'
      : 'Failed deliveries are retried. Wait for that, then check again.'
  if (gap.kind === 'deferred' && endedAt === null)
    return `${refusalRemedy(gap.reasons) ?? 'Find out why.'} Deliveries accepted within 18 h 40 min of their first attempt are not lost.`
  const covering = gap.otherEndpoints.find(({ isFullSubstitute }) => isFullSubstitute)
  if (covering?.hadGap)
    return `If “${covering.name}” has since received what it missed, nothing should be missing. Then an admin can close this.`
  if (covering)
    return `If “${covering.name}” was active with the same events all the time, nothing should be missing. Then an admin can close this.`
  if (gap.kind === 'restored')
    return 'Ask the provider to send its notifications again. “Copy for provider” has the text. Then an admin can close this with an outcome.'
  if (unheard > 0) {
    const them = `${total.exact ? '' : 'more than '}${counted(unheard, 'transaction', 'transactions')}`
    return endedAt === null
      ? `Ask the provider about the ${them} that may have progressed. “Copy for provider” names them.`
      : `Ask the provider about the ${them} without an update since. “Copy for provider” names them.`
  }
  if (endedAt === null) return null
  return total.count > 0
    ? 'Every affected transaction has had an update since. An admin can close this with an outcome.'
    : 'Transactions of that time may be missing: compare with the provider. An admin can close this with an outcome.'
}

/** Retries may still fill the gap. */
export const areRetriesPending = ({ retries }: Pick<Gap, 'retries'>, now: number): boolean =>
  retries !== null && typeof retries === 'object' && Date.parse(retries.until) > now

/** Each lasting gap of deliveries has an alert, and so has the newest ended one. There is no alert when no such gap is open. */
export function gapAlerts(gaps: GapPage): Alert[] {
  const missing = gaps.rows.filter(({ kind }) => missesDeliveries(kind))
  const lasting = missing.filter(({ endedAt }) => endedAt === null)
  const ended = missing.filter(({ endedAt }) => endedAt !== null)
  const [latest] = ended
  const alerts = lasting.map((gap) => gapAlert(gap, gapSeverity(gap)))
  if (!latest) return alerts
  const kind = ended.every((gap) => gapSeverity(gap) === 'info') ? 'info' : 'warning'
  return [...alerts, gapAlert(latest, kind, ended.length > 1 ? more(ended.length - 1, gaps) : null)]
}

function gapAlert(gap: GapView, kind: CalloutKind, earlier: string | null = null): Alert {
  const shown = (
    <GapCallout
      gap={gap}
      kind={kind}
      actions={
        <ButtonLink href={earlier === null ? `/gaps/${gap.id}` : '/gaps'}>
          {earlier === null ? 'Show details' : 'Show all'}
        </ButtonLink>
      }
    >
      {gapTitle(gap)}. {otherEndpointsMessage(gap)}
      {earlier !== null && ` Earlier periods still open: ${earlier}.`}
    </GapCallout>
  )
  return { key: `gap ${gap.id}`, kind, shown }
}

const more = (count: number, { next }: GapPage) => (next ? `more than ${count}` : String(count))

/** The transaction was open in gaps that nobody has closed, so its status or a step may be missing here. */
export function gapOfTransactionAlerts(gaps: readonly GapView[], finished: boolean): Alert[] {
  const open = gaps.filter(({ closed }) => closed === null)
  const [gap] = open.toSorted((a, b) => alertOrder(b) - alertOrder(a))
  if (!gap) return []
  const kind = finished || gapSeverity(gap) === 'info' ? 'info' : 'warning'
  const shown = (
    <GapCallout
      gap={gap}
      kind={kind}
      actions={
        <ButtonLink size="sm" href={`/gaps/${gap.id}`}>
          Show details
        </ButtonLink>
      }
    >
      {gapTitle(gap)}. {otherEndpointsMessage(gap)}{' '}
      {finished ? 'Some intermediate events may be missing.' : 'It may have progressed since.'}
    </GapCallout>
  )
  return [{ key: 'gap', kind, shown }]
}

/** Gaps without a substitute come first, then lasting ones. */
const alertOrder = (gap: GapView) => (gapSeverity(gap) === 'info' ? 0 : 2) + (gap.endedAt === null ? 1 : 0)

/** The text is "since 13:58:02", or "between 13:58:02 and 14:21:40". */
export function GapTime({ gap }: { readonly gap: Pick<GapView, 'beganAt' | 'endedAt'> }) {
  if (gap.endedAt === null) {
    return (
      <>
        since <Time at={gap.beganAt} style="clock" />
      </>
    )
  }
  return (
    <>
      between <Time at={gap.beganAt} style="clock" /> and <Time at={gap.endedAt} style="clock" />
    </>
  )
}
