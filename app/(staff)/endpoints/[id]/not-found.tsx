import { Webhook } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

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
