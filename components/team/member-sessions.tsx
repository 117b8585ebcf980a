'use client'

import { useRouter } from 'next/navigation'
import type { SessionView } from '#lib/auth/list-sessions.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { SessionFacts } from '../profile/session-list.tsx'
import { Card } from '../ui/card.tsx'

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
    <Card
      title="Signed in now"
      aside={
        sessions.length > 1 && (
          <ConfirmedActionButton
            label="End all"
            title="End all sessions of this person?"
            description="They are signed out everywhere at once, and replays that they started stop. They can sign in again."
            action={end}
            fields={{ memberId }}
            onDone={() => router.refresh()}
          />
        )
      }
    >
      {sessions.length === 0 ? (
        <p className="text-muted text-table">Nowhere.</p>
      ) : (
        <ul className="divide-y">
          {sessions.map((session) => (
            <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
              <SessionFacts session={session} />
              <ConfirmedActionButton
                label="End"
                title={`End the session “${session.device}”?`}
                description="That browser is signed out at once, and replays that it started stop."
                action={end}
                fields={{ memberId, sessionId: session.id }}
                onDone={() => router.refresh()}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
