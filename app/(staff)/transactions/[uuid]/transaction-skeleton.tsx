import { Card } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'

/** Stands in for a transaction, each part as high as it will be. */
export function TransactionSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the transaction</span>
      <Skeleton className="h-6 w-48" />
      <Skeleton className="mt-2.5 h-7 w-full max-w-lg" />
      <Skeleton className="mt-2.5 h-4 w-full max-w-md" />
      <Skeleton className="mt-9 h-2.5 w-full" />
      <Skeleton className="mt-3 h-10 w-full max-w-xl" />
      <div className="mt-6 grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_340px]">
        <Card title="What happened">
          {[1, 2, 3, 4].map((line) => (
            <Skeleton key={line} className="mb-5 h-14 w-full" />
          ))}
        </Card>
        <div className="grid gap-4">
          <Card title="Money">
            <Skeleton className="h-24 w-full" />
          </Card>
          <Card title="Parties">
            <Skeleton className="h-28 w-full" />
          </Card>
        </div>
      </div>
    </div>
  )
}
