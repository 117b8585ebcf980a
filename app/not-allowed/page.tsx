import type { Metadata } from 'next'
import { StandalonePage } from '#components/standalone-page.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'

export const metadata: Metadata = { title: 'Not allowed' }

/** Where a signed-in person ends up whose role does not carry what a page needs. */
export default async function NotAllowedPage() {
  const { role, name, email } = await requirePage()
  return (
    <StandalonePage
      title="Your role does not allow this"
      actions={
        <ButtonLink variant="primary" href="/">
          Go to your first page
        </ButtonLink>
      }
    >
      You are signed in as {name ?? email ?? 'a user'} ({roleLabels[role].toLowerCase()}).{' '}
      {role === 'end-user'
        ? 'That page is for the people who work here; your transactions are in your account.'
        : 'If you need that page, ask an admin of your team.'}
    </StandalonePage>
  )
}
