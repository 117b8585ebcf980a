import type { Metadata } from 'next'
import { OwnSessions } from '#components/identity/profile/session-list.tsx'
import { BackToAccount } from '#components/people/own/account-shell.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listOwnSessions } from '#lib/identity/sessions/person-sessions.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { endOtherSessionsAction, endOwnSessionAction } from '../../actions.ts'
import { readWords } from '../../read-words.ts'

export async function generateMetadata(): Promise<Metadata> {
  const words = await readWords()
  return { title: words('account.signIns') }
}

/** The page shows where an end user is signed in. */
export default async function OwnSignInsPage() {
  const caller = await requirePage('see-own', '/account/sign-ins')
  const words = await readWords()
  return (
    <>
      <BackToAccount words={words} />
      <div className="mt-4">
        <PageHeader title={words('account.signIns')}>{words('account.signInsLead')}</PageHeader>
      </div>
      <div className="mt-6 max-w-[46rem]">
        <OwnSessions
          sessions={await listOwnSessions(caller)}
          end={endOwnSessionAction}
          endOthers={endOtherSessionsAction}
        />
      </div>
    </>
  )
}
