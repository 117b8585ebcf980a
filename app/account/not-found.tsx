import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button.tsx'
import { NotFound } from '#components/ui/not-found.tsx'

export default function AccountNotFound() {
  return (
    <NotFound
      icon={SearchX}
      title="There is nothing here"
      action={<ButtonLink href="/account">My account</ButtonLink>}
    >
      None of your transactions has this reference. Check that it was copied whole.
    </NotFound>
  )
}
