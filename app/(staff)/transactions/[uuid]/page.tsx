import { Repeat2 } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Fragment, type ReactNode } from 'react'
import { type Alert, AlertSlot } from '#components/alerts/alert-slot.tsx'
import { decodePathPart } from '#components/decode-path-part.ts'
import { directionLabel } from '#components/direction-label.ts'
import { gapOfTransactionAlerts } from '#components/gaps/gap-of-transaction.tsx'
import { HeadlineText } from '#components/headline-text.tsx'
import { RefreshOnChange } from '#components/live/refresh-on-change.tsx'
import { StepPill } from '#components/step-pill.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { MoreMenu, MoreMenuLink } from '#components/ui/more-menu.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import type { GapView } from '#lib/gaps/gap-view.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { getTransaction } from '#lib/transactions/get-transaction.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import { EventTimeline } from '../../event-timeline.tsx'
import { IdsCard } from './ids-card.tsx'
import { MoneyCard } from './money-card.tsx'
import { PartiesCard } from './parties-card.tsx'
import { stepFacts } from './step-facts.tsx'
import { StepRail } from './step-rail.tsx'
import { transactionProviderText } from './transaction-provider-text.ts'

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: shortId(decodePathPart((await params).uuid)) }
}

/** Nothing is streamed before it is known to exist: an unknown one answers 404. */
export default async function TransactionDetailsPage({ params }: Props) {
  const uuid = decodePathPart((await params).uuid)
  const caller = await requirePage('see-everything', `/transactions/${encodeURIComponent(uuid)}`)
  const transaction = await getTransaction(caller, uuid)
  if (!transaction) notFound()
  const { startedAt, finishedAt } = transaction
  const knowsGaps = may(caller.role, 'see-endpoint-health')
  const gaps = knowsGaps
    ? (await listGaps(caller, { during: { from: startedAt, until: finishedAt } })).rows
    : []
  const arriving = knowsGaps && gaps.every(({ endedAt }) => endedAt !== null)
  const mayReplay = may(caller.role, 'replay-deliveries')
  return (
    <>
      <RefreshOnChange subjects={[transaction.subjectId]} />
      <Heading transaction={transaction} mayReplay={mayReplay} arriving={arriving && finishedAt === null} />
      <AlertSlot alerts={alertsOf(transaction, gaps)} className="mt-4" />
      <StepRail transaction={transaction} />
      <div className="mt-5 grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_340px]">
        <EventTimeline
          events={transaction.events}
          factsOf={(event) => stepFacts(event, transaction)}
          mayReplay={mayReplay}
        />
        <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-1">
          <MoneyCard transaction={transaction} />
          <PartiesCard transaction={transaction} mayCompare={may(caller.role, 'work-on-cases')} />
          <IdsCard transaction={transaction} />
        </div>
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
    </>
  )
}

function alertsOf(transaction: TransactionDetailsView, gaps: readonly GapView[]): Alert[] {
  const alerts = gapOfTransactionAlerts(gaps, transaction.finishedAt !== null)
  if (transaction.flags.includes('conflict'))
    alerts.push({
      key: 'conflict',
      kind: 'warning',
      shown: (
        <Callout kind="warning" title="Events contradict each other">
          The one received last is taken for the outcome. Ask the provider which of them holds.
        </Callout>
      ),
    })
  return alerts
}

function Heading({
  transaction,
  mayReplay,
  arriving,
}: {
  readonly transaction: TransactionDetailsView
  readonly mayReplay: boolean
  /** The transaction may still move, and no gap hides its next events. */
  readonly arriving: boolean
}) {
  const { uuid, direction, step, reason, stuck, userEmail, userUuid, lastReceivedAt } = transaction
  const beside: [key: string, ReactNode][] = [
    ['uuid', <ShortId key="uuid" id={uuid} whole className="text-sm" />],
  ]
  if (userEmail && userUuid)
    beside.push([
      'user',
      <Link key="user" href={`/users/${userUuid}`} className="underline underline-offset-2">
        {userEmail}
      </Link>,
    ])
  beside.push([
    'word',
    <span key="word">
      last word <Time at={lastReceivedAt} style="clock" className="num" />
      {arriving && ', deliveries arriving'}
    </span>,
  ])
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
          <StepPill direction={direction} step={step} reason={reason} stuck={stuck} />
          {directionLabel(direction)}
        </p>
        <h1 className="mt-2 font-heading text-xl tracking-[-0.017em]">
          <HeadlineText transaction={transaction} />
        </h1>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 text-muted text-table">
          {beside.map(([key, words], at) => (
            <Fragment key={key}>
              {at > 0 && (
                <span aria-hidden className="max-sm:hidden">
                  ·
                </span>
              )}
              {words}
            </Fragment>
          ))}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={transactionProviderText(transaction)}>Copy for provider</CopyButton>
        {mayReplay && (
          <MoreMenu label="More about this transaction">
            <MoreMenuLink href={`/replays/new?transaction=${encodeURIComponent(uuid)}`}>
              <Repeat2 aria-hidden />
              Replay webhooks…
            </MoreMenuLink>
          </MoreMenu>
        )}
      </div>
    </header>
  )
}
