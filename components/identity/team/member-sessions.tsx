'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { SessionView } from '#lib/identity/sessions/list-sessions.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { endsStaffSession } from '../profile/ends-staff-session.ts'
import { EndSession, SessionList } from '../profile/session-list.tsx'

/** Where a member is signed in; an admin can end each session, or all of them. */
export function MemberSessions({
  memberId,
  sessions,
  end,
}: {
  readonly memberId: string
  readonly sessions: readonly SessionView[]
  readonly end: Action<{ readonly ended: number }>
}) {
  const router = useRouter()
  return (
    <SessionList
      sessions={sessions}
      endAll={
        <ConfirmedActionButton
          label="End all"
          title="End all sessions of this person?"
          description="They are signed out everywhere at once, and replays that they started stop. They can sign in again."
          action={end}
          fields={{ memberId }}
          done={({ ended }) =>
            `Signed out everywhere: ${ended === 1 ? '1 session' : `${ended} sessions`} ended.`
          }
          onDone={() => router.refresh()}
        />
      }
      endOne={(session) => (
        <EndSession session={session} action={end} fields={{ memberId }} asksReason ends={endsStaffSession} />
      )}
    />
  )
}
