import { Card } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'

export default function Loading() {
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-7 w-40" />
      <Skeleton className="mt-2.5 h-4 w-72 max-w-full" />
      <div className="mt-6 grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card className="mt-[30px]">
          {[0, 1, 2, 3, 4].map((row) => (
            <div key={row} className="border-b px-5 py-3.5 last:border-b-0">
              <Skeleton className="h-5 w-4/5" />
              <Skeleton className="mt-2.5 h-5 w-1/2" />
            </div>
          ))}
        </Card>
        <Card title="Profile" className="lg:mt-[30px]">
          <Skeleton className="h-36" />
        </Card>
      </div>
    </div>
  )
}
