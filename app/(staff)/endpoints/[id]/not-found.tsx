import { Webhook } from 'lucide-react'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

export default function EndpointNotFound() {
  return (
    <Card>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={Webhook}
        title="The service knows no endpoint of this id"
        action={<ButtonLink href="/endpoints">All endpoints</ButtonLink>}
      >
        It may have been deleted.
      </EmptyState>
    </Card>
  )
}
