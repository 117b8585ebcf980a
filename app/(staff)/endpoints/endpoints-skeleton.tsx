import { Card } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'

/** Stands in while the service is asked. Who is calling is known before: others are sent away, not streamed to. */
export function EndpointsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the endpoints</span>
      <Skeleton className="h-7 w-52" />
      <Skeleton className="mt-2.5 h-4 w-80 max-w-full" />
      <Skeleton className="mt-6 h-8.5 w-96 max-w-full" />
      <Card className="mt-4">
        {[0, 1, 2, 3].map((row) => (
          <div key={row} className="border-b px-3 py-3 last:border-b-0">
            <Skeleton className="h-4 w-48" />
            <Skeleton className="mt-2 h-4 w-80 max-w-full" />
          </div>
        ))}
      </Card>
    </div>
  )
}
