import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function GapNotFound() {
  return (
    <NotFound
      icon={SearchX}
      title="There is no such gap"
      action={<ButtonLink href="/gaps">All gaps</ButtonLink>}
    >
      It may have become part of another one that began before it.
    </NotFound>
  )
}
