import { Card } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { TransactionsSkeleton } from './transactions-skeleton.tsx'

/** Stands in for the search, the filters and the list. */
export function ListSkeleton() {
  return (
    <>
      <Skeleton className="mt-4 h-11 w-full rounded-panel" />
      <Skeleton className="mt-4 mb-3 h-[30px] w-56" />
      <Card>
        <TransactionsSkeleton rows={12} />
      </Card>
    </>
  )
}
