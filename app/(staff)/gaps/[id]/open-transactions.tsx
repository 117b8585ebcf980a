import {
  type OpenTransactionRow,
  OpenTransactionRows,
} from '#components/endpoints/gaps/open-transaction-rows.tsx'
import { RememberList } from '#components/ui/browser/remember-list.tsx'
import { Card } from '#components/ui/card.tsx'
import { Table, Th } from '#components/ui/table.tsx'
import type { GapDetailsView } from '#lib/endpoints/gaps/gaps.ts'
import { counted } from '#lib/words/labels/formats.ts'

type Transaction = GapDetailsView['transactions'][number]

/** The card lists the transactions that were open in a gap; those with an unknown outcome come first. */
export function OpenTransactions({ gap }: { readonly gap: GapDetailsView }) {
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
          {total.exact ? rest : `More than ${rest}`} more are in the CSV.
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
