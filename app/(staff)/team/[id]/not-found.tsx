import { Users } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

export default function MemberNotFound() {
  return (
    <NotFound
      icon={Users}
      title="There is no member with this ID"
      action={<ButtonLink href="/team">The whole team</ButtonLink>}
    />
  )
}
