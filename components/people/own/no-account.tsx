import { UserRoundX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

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
