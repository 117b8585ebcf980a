import { Users } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function MemberNotFound() {
  return (
    <NotFound
      icon={Users}
      title="There is no member with this ID"
      action={<ButtonLink href="/team">The whole team</ButtonLink>}
    />
  )
}
