import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { GapActionButtons } from '#components/endpoints/gaps/gap-action-buttons.tsx'
import { areRetriesPending, GapLead, gapNextStep } from '#components/endpoints/gaps/gap-callout.tsx'
import { GapExports } from '#components/endpoints/gaps/gap-exports.tsx'
import {
  gapOutcomeLabels,
  gapStateLabel,
  gapTitle,
  refusalReasonsMessage,
} from '#components/endpoints/gaps/gap-labels.ts'
import {
  type OpenTransactionRow,
  OpenTransactionRows,
} from '#components/endpoints/gaps/open-transaction-rows.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { RememberList } from '#components/ui/browser/remember-list.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { totalNumber } from '#components/ui/shared/total-label.ts'
import { Table, Th } from '#components/ui/table.tsx'
import { Time, TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { type GapDetailsView, getGap } from '#lib/endpoints/gaps/gaps.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { counted, shortId } from '#lib/words/labels/formats.ts'
import { allowGapExportAction, closeGapAction, reopenGapAction } from '../../endpoints/actions.ts'

export const metadata: Metadata = { title: 'Missed deliveries' }

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export default async function GapDetailsPage({ params }: Props) {
  const id = decodePathPart((await params).id)
  const caller = await requirePage('see-endpoint-health', `/gaps/${encodeURIComponent(id)}`)
  const gap = await getGap(caller, id)
  if (!gap) notFound()
  const state = gapStateLabel(gap)
  const now = Date.now()
  const nextStep = gapNextStep(gap, now)
  return (
    <>
      <RowKeys />
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {gapTitle(gap)}
            <Pill tone={state.tone}>{state.label}</Pill>
          </span>
        }
        actions={
          <>
            <GapExports
              gap={gap}
              allowExport={may(caller.role, 'work-on-cases') ? allowGapExportAction : null}
            />
            {may(caller.role, 'manage-endpoints') && (
              <GapActionButtons
                gapId={gap.id}
                closed={gap.closed !== null}
                lasts={gap.endedAt === null}
                actions={{ close: closeGapAction, reopen: reopenGapAction }}
              />
            )}
          </>
        }
      >
        <GapLead gap={gap} now={now} />
      </PageHeader>
      {nextStep && (
        <Callout className="mt-5" title="What to do">
          {nextStep}
        </Callout>
      )}
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[60rem]/main:grid-cols-[minmax(0,1fr)_21.25rem]">
        <OpenTransactions gap={gap} />
        <GapFacts gap={gap} now={now} />
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
      {(gap.endedAt === null || areRetriesPending(gap, now)) && <RefreshEvery seconds={30} />}
    </>
  )
}

function GapFacts({ gap, now }: { readonly gap: GapDetailsView; readonly now: number }) {
  const { beganAt, endedAt, endpoint, note, otherEndpoints, refused, retries, closed } = gap
  return (
    <Card title="Facts">
      <Facts>
        <Fact name="Began">
          <Time at={beganAt} style="exact" />
        </Fact>
        <Fact name="Ended">{endedAt ? <Time at={endedAt} style="exact" /> : 'not yet'}</Fact>
        <Fact name="Duration">
          {endedAt ? (
            formatDuration((Date.parse(endedAt) - Date.parse(beganAt)) / 1000)
          ) : (
            <Time at={beganAt} style="age" />
          )}
        </Fact>
        {endpoint && (
          <Fact name="Endpoint">
            <Link href={`/endpoints/${endpoint.uuid}`} className="underline hover:text-text">
              {endpoint.name}
            </Link>
          </Fact>
        )}
        {refused > 0 && <Fact name="Rejected">{refusalReasonsMessage(gap.reasons)}</Fact>}
        {otherEndpoints.map(({ uuid, name, deliveries, exact }) => (
          <Fact key={uuid} name="Meanwhile">
            <Link href={`/endpoints/${uuid}`} className="underline hover:text-text">
              {name}
            </Link>{' '}
            brought {exact ? '' : 'more than '}
            {counted(deliveries, 'delivery', 'deliveries')}
          </Fact>
        ))}
        {note && <Fact name="Evidence">{note}</Fact>}
        {retries && <Fact name="Retries">{retriesMessage(gap, now)}</Fact>}
        {closed && (
          <>
            <Fact name="Outcome">{gapOutcomeLabels[closed.outcome]}</Fact>
            <Fact name="Reason">{closed.reason}</Fact>
            <Fact name="Closed">
              <Time at={closed.at} style="clock" /> by {shortId(closed.by)}
            </Fact>
          </>
        )}
      </Facts>
    </Card>
  )
}

function retriesMessage(gap: GapDetailsView, now: number) {
  const { retries } = gap
  if (!retries) return null
  if (retries === 'given-up')
    return 'It lasted longer than all retries. The first failed deliveries are not sent again.'
  if (retries === 'cut-off')
    return 'An endpoint was off during the retries. Some failed deliveries may never come.'
  return (
    <>
      What failed {areRetriesPending(gap, now) ? 'is sent again, by' : 'was to be sent again by'}{' '}
      <Time at={retries.until} style="clock" /> at the latest.
    </>
  )
}

type Transaction = GapDetailsView['transactions'][number]

/** The card lists the transactions that were open in a gap; those with an unknown outcome come first. */
function OpenTransactions({ gap }: { readonly gap: GapDetailsView }) {
  const { transactions, total, unheard, endedAt } = gap
  const shown = [
    transactions.filter((one) => one.unheard),
    transactions.filter((one) => !one.unheard),
  ] as const
  const rest = total.count - transactions.length
  const heard = total.count - unheard
  return (
    <Card>
      <RememberList uuids={shown.flat().map(({ uuid }) => uuid)} />
      <h2 className="p-3.5 font-title text-muted text-sm">{openCountMessage(gap)}</h2>
      {transactions.length > 0 && (
        <Table>
          <thead>
            <tr>
              <Th>Transaction</Th>
              <Th>Status</Th>
              <Th className="max-sm:hidden">Created</Th>
              <Th className="max-sm:hidden">Updated</Th>
            </tr>
          </thead>
          <Group
            tone="held"
            title={`${endedAt ? 'No update since' : 'Not finished'}: ${unheard.toLocaleString('en')}`}
            transactions={shown[0]}
          />
          <Group
            tone="done"
            title={`${endedAt ? 'Finished or updated since' : 'Finished'}: ${heard.toLocaleString('en')}`}
            transactions={shown[1]}
          />
        </Table>
      )}
      {rest > 0 && (
        <p className="border-t px-4 py-3 text-muted text-sm">
          {totalNumber({ ...total, count: rest })} more {rest === 1 ? 'is' : 'are'} in the CSV.
        </p>
      )}
    </Card>
  )
}

function Group({
  title,
  tone,
  transactions,
}: {
  readonly title: string
  readonly tone: 'held' | 'done'
  readonly transactions: readonly Transaction[]
}) {
  if (transactions.length === 0) return null
  return (
    <tbody className="border-t first-of-type:border-t-0">
      <tr data-tone={tone} className="bg-tone-bg">
        <Th scope="rowgroup" colSpan={4} className="border-b-0 text-tone!">
          {title}
        </Th>
      </tr>
      <OpenTransactionRows transactions={transactions.map(rowOf)} />
    </tbody>
  )
}

/** The row leaves out the fields that the browser does not show. */
const rowOf = ({
  uuid,
  direction,
  step,
  reason,
  stuck,
  flags,
  startedAt,
  lastMoveAt,
}: Transaction): OpenTransactionRow => ({
  uuid,
  direction,
  step,
  reason,
  stuck,
  flags,
  startedAt,
  lastMoveAt,
})

function openCountMessage({ total: { count, exact } }: GapDetailsView): string {
  if (count === 0) return 'No known transaction was open'
  return `Possibly affected: ${exact ? '' : 'more than '}${counted(count, 'transaction', 'transactions')}`
}
