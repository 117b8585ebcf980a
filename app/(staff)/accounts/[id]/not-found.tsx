import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { env } from '#lib/env.ts'
import { NothingFound } from '../../nothing-found.tsx'

export default function AccountNotFound() {
  return (
    <Card>
      <NothingFound
        heading="h1"
        title="No account of this id has arrived here"
        sandboxUrl={env().sandboxUrl?.href ?? null}
        action={
          <ButtonLink variant="primary" href="/accounts">
            All accounts
          </ButtonLink>
        }
      />
    </Card>
  )
}
