import { UserX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function PersonNotFound() {
  return (
    <NotFound
      icon={UserX}
      title="Nobody here has this ID"
      action={<ButtonLink href="/users">All people</ButtonLink>}
    >
      Neither the directory nor any delivery names it. A user of the provider can be imported by ID.
    </NotFound>
  )
}
