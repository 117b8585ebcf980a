import { Webhook } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

export default function EndpointNotFound() {
  return (
    <NotFound
      icon={Webhook}
      title="The provider knows no endpoint with this ID"
      action={<ButtonLink href="/endpoints">All endpoints</ButtonLink>}
    >
      It may have been deleted.
    </NotFound>
  )
}
