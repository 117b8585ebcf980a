import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { StepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/subject-path.ts'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { shortId } from '#lib/words/labels/short-id.ts'

/** Other transactions of the customer, nearest in time first, each as it stands now. */
export function OthersCard({
  transactions,
  userUuid,
}: {
  readonly transactions: readonly TransactionView[]
  readonly userUuid: string
}) {
  return (
    <Card
      title="Other transactions of this customer"
      aside={
        <Link href={`/users/${userUuid}`} className="text-sm underline underline-offset-2">
          All
        </Link>
      }
    >
      <ul className="@container -mx-2">
        {transactions.map((transaction) => {
          const [paidIn] = paidAmounts({ ...transaction, conflict: transaction.flags.includes('conflict') })
          return (
            <li
              key={transaction.uuid}
              className="relative grid grid-cols-[minmax(0,1fr)] items-baseline gap-x-2.5 gap-y-1 rounded-md px-2 py-1.5 text-table hover:bg-hover @min-[15rem]:grid-cols-[minmax(0,1fr)_auto]"
            >
              <Link
                href={subjectPath(transaction.subjectId)}
                title={transaction.uuid}
                className="row-link mono text-sm"
              >
                {shortId(transaction.uuid)}
              </Link>
              <Time
                at={transaction.startedAt}
                style="minute"
                className="num whitespace-nowrap text-muted text-sm"
              />
              <span className="col-span-full flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <StepPill {...transaction} />
                {paidIn.marked}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
