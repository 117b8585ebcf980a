import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

export default function AccountNotFound() {
  return (
    <Card>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={SearchX}
        title="There is nothing here"
        action={<ButtonLink href="/account">My account</ButtonLink>}
      >
        None of your transactions has this reference. Check that it was copied whole.
      </EmptyState>
    </Card>
  )
}
