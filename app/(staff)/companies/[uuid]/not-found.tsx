import { Building2 } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'

export default function CompanyNotFound() {
  return (
    <NotFound
      icon={Building2}
      title="No company here has this ID"
      action={<ButtonLink href="/companies">All companies</ButtonLink>}
    >
      Neither the directory nor any delivery names it.
    </NotFound>
  )
}
