import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

export default function GapNotFound() {
  return (
    <EmptyState
      icon={SearchX}
      heading="h1"
      title="There is no such gap"
      action={<ButtonLink href="/gaps">All gaps</ButtonLink>}
    >
      It may have become part of another one that began before it.
    </EmptyState>
  )
}
