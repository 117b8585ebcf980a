import { Skeleton } from '#components/ui/skeleton.tsx'

/** Stands in for so many rows, each as high as it will be. */
export function TransactionsSkeleton({ rows }: { readonly rows: number }) {
  return (
    <div role="status" className="@container">
      <span className="sr-only">Loading transactions</span>
      <div className="hidden h-8.75 border-b @4xl:block" />
      {widths.slice(0, rows).map((width, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key
          key={row}
          className="flex h-23.25 items-center gap-6 border-b px-4 last:border-b-0 @4xl:h-11 @4xl:px-3"
        >
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className="h-5 w-24" />
          <Skeleton className={`hidden h-3.5 @4xl:block ${width}`} />
          <Skeleton className="ml-auto hidden h-3.5 w-20 @4xl:block" />
          <Skeleton className="hidden h-3.5 w-24 @4xl:block" />
          <Skeleton className="hidden h-3.5 w-32 @5xl:block" />
          <Skeleton className="hidden h-3.5 w-14 @5xl:block" />
        </div>
      ))}
    </div>
  )
}

const widths = [
  'w-32',
  'w-36',
  'w-32',
  'w-28',
  'w-36',
  'w-32',
  'w-36',
  'w-28',
  'w-32',
  'w-36',
  'w-32',
  'w-28',
]
