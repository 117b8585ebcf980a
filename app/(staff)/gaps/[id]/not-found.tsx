import { SearchX } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

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
