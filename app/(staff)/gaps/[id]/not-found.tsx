import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function GapNotFound() {
  return (
    <NotFound
      icon={SearchX}
      title="There are no such missed deliveries"
      action={<ButtonLink href="/gaps">Missed deliveries</ButtonLink>}
    >
      They may have become part of an earlier period.
    </NotFound>
  )
}
