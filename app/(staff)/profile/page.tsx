import type { Metadata } from 'next'
import { endsStaffSession } from '#components/identity/profile/ends-staff-session.ts'
import { OwnPasskeys } from '#components/identity/profile/own-passkeys.tsx'
import { OwnSessions } from '#components/identity/profile/session-list.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listOwnPasskeys } from '#lib/identity/passkeys/own-passkeys.ts'
import { listOwnSessions } from '#lib/identity/sessions/person-sessions.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { endOtherSessionsAction, endOwnSessionAction } from '../../actions.ts'
import {
  addOwnPasskeyAction,
  beginOwnPasskeyAction,
  removePasskeyAction,
  renamePasskeyAction,
} from './actions.ts'

export const metadata: Metadata = { title: 'Your sign-ins' }

/** The caller sees here how they sign in. */
export default async function ProfilePage() {
  const caller = await requirePage('see-everything', '/profile')
  const [passkeys, sessions] = await Promise.all([listOwnPasskeys(caller), listOwnSessions(caller)])
  return (
    <>
      <PageHeader title="Your sign-ins">How you sign in, and where you are signed in now.</PageHeader>
      <div className="mt-5 grid max-w-[46rem] gap-5">
        <OwnPasskeys
          passkeys={passkeys}
          actions={{
            begin: beginOwnPasskeyAction,
            add: addOwnPasskeyAction,
            rename: renamePasskeyAction,
            remove: removePasskeyAction,
          }}
        />
        <OwnSessions
          sessions={sessions}
          end={endOwnSessionAction}
          endOthers={endOtherSessionsAction}
          ends={endsStaffSession}
        />
      </div>
    </>
  )
}
