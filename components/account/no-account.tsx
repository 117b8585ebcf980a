import { UserRoundX } from 'lucide-react'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import { ButtonLink } from '../ui/button-link.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** What a member of staff without an account at the service finds where a customer finds theirs. */
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
