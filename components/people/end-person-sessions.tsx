'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button ends all sessions of a user of the service. */
export function EndPersonSessions({
  userUuid,
  end,
}: {
  readonly userUuid: string
  readonly end: Action<{ readonly ended: number }>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="End all"
      title="End all sessions of this person?"
      description="They are signed out everywhere at once. They can sign in again."
      action={end}
      fields={{ userUuid }}
      done={({ ended }) => `Signed out everywhere: ${ended === 1 ? '1 session' : `${ended} sessions`} ended.`}
      onDone={() => router.refresh()}
    />
  )
}
