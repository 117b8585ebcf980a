'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { MemberView } from '#lib/identity/members/list-members.ts'
import type { SessionView } from '#lib/identity/sessions/person-sessions.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { endsStaffSession } from '../profile/ends-staff-session.ts'
import { EndSession, SessionList } from '../profile/session-list.tsx'
import { RoleField } from './role-field.tsx'

interface MemberActions {
  readonly changeRole: Action<{ readonly memberId: string }>
  readonly remove: Action<{ readonly memberId: string }>
}

/** An admin has these buttons for a member; each dialog says what follows. */
export function MemberActionButtons({
  member,
  actions,
}: {
  readonly member: MemberView
  readonly actions: MemberActions
}) {
  const router = useRouter()
  const { id, name, role } = member
  return (
    <>
      <ConfirmedActionButton
        label="Change role"
        title={`Change the role of ${name}?`}
        description="They are signed out everywhere at once and sign in again with the new role. All admins are told."
        action={actions.changeRole}
        afterFreshSignIn
        fields={{ memberId: id, ...(role && { seen: role }) }}
        done="Their role is changed, and they sign in again with it."
        onDone={() => router.refresh()}
      >
        {(errorOf) => (
          <RoleField
            defaultValue={role === null || role === 'end-user' ? 'support' : role}
            error={errorOf('role')}
          />
        )}
      </ConfirmedActionButton>
      <ConfirmedActionButton
        label="Remove"
        variant="danger"
        title={`Remove ${name} from the team?`}
        description="They are signed out everywhere, and their replays stop. Their passkeys and links stop working. This page then lists the secrets they know. All admins are told."
        action={actions.remove}
        afterFreshSignIn
        fields={{ memberId: id }}
        done="Removed, and signed out everywhere."
        typeToConfirm={name}
        onDone={() => router.refresh()}
      />
    </>
  )
}

/** A member is signed in in these browsers. An admin can end each session, or all of them. */
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
