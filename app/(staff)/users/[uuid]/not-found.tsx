import { UserX } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

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
