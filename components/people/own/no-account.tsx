import { UserRoundX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** A member of staff without an account at the service sees this instead of a customer's account. */
export const NoAccount = ({ words, name }: { readonly words: CustomerWords; readonly name: string }) => (
  <Card>
    <EmptyState
      icon={UserRoundX}
      title={words('account.noAccount')}
      action={
        <ButtonLink variant="primary" href="/">
          {words('account.toFirstPage')}
        </ButtonLink>
      }
    >
      {words('account.noAccountNext', { name })}
    </EmptyState>
  </Card>
)
