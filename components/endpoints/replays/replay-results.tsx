import { Link } from '#components/ui/link.tsx'
import { SpokenQuarters } from '#components/ui/live/spoken.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { stateOf } from '#lib/deliveries/rules/event-states.ts'
import type { ReplayView, ResultView } from '#lib/endpoints/replays/replays.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** The table has the result of each delivery, in the order of arrival. */
export function ResultsTable({
  rows,
  sent,
}: {
  readonly rows: readonly ResultView[]
  /** `sent`: the deliveries went to an address, so each has a time. Deliveries into this dashboard have none. */
  readonly sent: boolean
}) {
  return (
    <Table>
      <thead>
        <tr>
          <Th>Result</Th>
          <Th className="max-md:hidden">Received</Th>
          <Th className="max-sm:hidden">Event</Th>
          <Th className="max-lg:hidden">Transaction</Th>
          <Th className="max-lg:hidden">Delivery</Th>
          {sent && <Th numeric>Duration</Th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Tr key={row.order}>
            <Td className="h-auto whitespace-normal py-2">
              <Result row={row} />
              <span className="block text-muted text-xs sm:hidden">{eventWords(row)}</span>
            </Td>
            <Td className="text-muted max-md:hidden">
              {row.receivedAt ? <Time at={row.receivedAt} style="clock" className="mono" /> : 'not kept'}
            </Td>
            <Td className="max-sm:hidden">{eventWords(row)}</Td>
            <Td className="max-lg:hidden">
              {row.transactionUuid ? (
                <Link
                  href={`/transactions/${encodeURIComponent(row.transactionUuid)}`}
                  className="mono underline underline-offset-2"
                >
                  {shortId(row.transactionUuid)}
                </Link>
              ) : (
                <span className="text-faint">–</span>
              )}
            </Td>
            <Td className="max-lg:hidden">
              <ShortId id={row.deliveryId} />
            </Td>
            {sent && (
              <Td numeric className="text-muted">
                {row.ms !== null && `${row.ms.toLocaleString('en')} ms`}
              </Td>
            )}
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}

/**
 * The words are the type and, for a transaction, the step. A state that only the body names is unknown here and
 * left out.
 */
function eventWords({ type, subType }: ResultView): string {
  const event = { type, subType, status: null }
  const { label: name } = eventTypeLabel(type)
  const label = stateOf(event) === null ? name : eventLabel(event).label
  return label === name ? name : `${name} · ${label}`
}

function Result({ row }: { readonly row: ResultView }) {
  if (row.sentAt === null) return <Pill tone="wait">Waits</Pill>
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {row.error ? (
        <Pill tone="fail">Failed</Pill>
      ) : (
        <Pill tone="done">{row.status === null ? 'Rebuilt' : 'Delivered'}</Pill>
      )}
      {row.status !== null && <span className="mono text-muted">{row.status}</span>}
      {row.error && <span className="text-muted text-sm">{row.error}</span>}
    </span>
  )
}

/** The results of a replay are no longer kept, so their first page is empty. */
export function areResultsGone(
  { total, failed }: Pick<ReplayView, 'total' | 'failed'>,
  rows: readonly unknown[],
  { start, onlyFailed }: { readonly start: string; readonly onlyFailed: boolean },
): boolean {
  return start === '0' && rows.length === 0 && (onlyFailed ? failed : total) > 0
}

/** The progress of a replay is shown as a bar and in figures. */
export function ReplayProgress({ replay }: { readonly replay: ReplayView }) {
  const { done, failed, total } = replay
  return (
    <div>
      <progress
        aria-label="Progress"
        value={done}
        max={total}
        className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-ink"
      />
      <p className="num mt-2 text-sm">
        {figure(done)} of {figure(total)} done
        {failed > 0 && <span className="text-fail">, {figure(failed)} failed</span>}
      </p>
      <SpokenQuarters
        done={done}
        total={total}
        words={`Sent again: ${figure(done)} of ${figure(total)}${failed > 0 ? `, failed: ${figure(failed)}` : ''}`}
      />
    </div>
  )
}

const figure = (count: number) => count.toLocaleString('en')
