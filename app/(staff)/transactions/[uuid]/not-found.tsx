import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { env } from '#lib/env.ts'
import { NothingFound } from '../../nothing-found.tsx'

export default function TransactionNotFound() {
  return (
    <Card>
      <NothingFound
        heading="h1"
        title="No transaction of this id has arrived here"
        sandboxUrl={env().sandboxUrl?.href ?? null}
        action={
          <ButtonLink variant="primary" href="/transactions">
            All transactions
          </ButtonLink>
        }
      />
    </Card>
  )
}
