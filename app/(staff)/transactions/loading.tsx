import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { TransactionsSkeleton } from './transactions-skeleton.tsx'

export default function Loading() {
  return (
    <>
      <PageHeader title="Transactions">
        <Skeleton className="my-1 h-3.5 w-64" />
      </PageHeader>
      <Skeleton className="mt-4 h-11 w-full rounded-[10px]" />
      <Skeleton className="mt-4 mb-3 h-[30px] w-56" />
      <Card>
        <TransactionsSkeleton rows={12} />
      </Card>
    </>
  )
}
