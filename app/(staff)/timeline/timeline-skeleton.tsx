import { Skeleton } from '#components/ui/skeleton.tsx'

/** Stands in for the first events, each as high as it will be. */
export function TimelineSkeleton() {
  return (
    <div role="status" className="@container">
      <span className="sr-only">Loading events</span>
      {['w-32', 'w-40', 'w-28', 'w-36', 'w-32', 'w-40', 'w-28', 'w-36', 'w-44', 'w-32'].map((width, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key
          key={row}
          className="flex h-17 items-center gap-5 border-b px-4 last:border-b-0 @4xl:h-11.25"
        >
          <Skeleton className="h-3.5 w-16" />
          <Skeleton className={`h-5 ${width}`} />
          <Skeleton className="hidden h-3.5 w-36 @4xl:block" />
          <Skeleton className="ml-auto hidden h-3.5 w-32 @4xl:block" />
        </div>
      ))}
    </div>
  )
}
