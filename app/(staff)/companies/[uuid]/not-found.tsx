import { Building2 } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

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
