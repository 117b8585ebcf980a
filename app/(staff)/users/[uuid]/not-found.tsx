import { UserX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function PersonNotFound() {
  return (
    <NotFound
      icon={UserX}
      title="Nobody here has this uuid"
      action={<ButtonLink href="/users">All people</ButtonLink>}
    >
      Neither the directory nor any delivery names it. Somebody whom the provider knows can be imported by
      uuid.
    </NotFound>
  )
}
