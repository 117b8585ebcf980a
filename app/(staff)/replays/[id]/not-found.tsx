import { Repeat2 } from 'lucide-react'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

export default function ReplayNotFound() {
  return (
    <Card>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={Repeat2}
        title="There is no replay of this id"
        action={<ButtonLink href="/replays">All replays</ButtonLink>}
      />
    </Card>
  )
}
