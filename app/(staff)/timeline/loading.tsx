import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { TimelineSkeleton } from './timeline-skeleton.tsx'

export default function Loading() {
  return (
    <>
      <PageHeader title="Timeline">
        <Skeleton className="my-1 h-3.5 w-80 max-w-full" />
      </PageHeader>
      <Skeleton className="mt-4 mb-3 h-[30px] w-40" />
      <Card>
        <TimelineSkeleton />
      </Card>
    </>
  )
}
