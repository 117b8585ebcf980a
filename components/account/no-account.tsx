import { UserRoundX } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** What a member of staff without an account at the service finds where a customer finds theirs. */
export const NoAccount = ({ name }: { readonly name: string }) => (
  <Card>
    <EmptyState
      icon={UserRoundX}
      title="You have no account at the payment service"
      action={
        <ButtonLink variant="primary" href="/">
          Go to your first page
        </ButtonLink>
      }
    >
      You are signed in as {name}, a member of the team. This page shows a customer’s own account; members
      need none.
    </EmptyState>
  </Card>
)
