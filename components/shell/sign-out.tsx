'use client'

import { useActionState, useEffect } from 'react'
import { type Action, idle } from '#lib/domain/action-state.ts'
import { SignOutButton } from './user-menu.tsx'

/** Ends the session on the server, then leaves every page that was loaded under it. */
export function SignOut({ action }: { readonly action: Action<void> }) {
  const [state, submit, pending] = useActionState(action, idle)
  useEffect(() => {
    if (state.kind === 'done' || state.kind === 'signed-out') window.location.assign('/sign-in')
  }, [state])
  return (
    <form action={submit}>
      <SignOutButton pending={pending} />
      {state.kind === 'refused' && (
        <p role="alert" className="px-2 pb-1 text-fail text-xs">
          {state.title} {state.next}
        </p>
      )}
    </form>
  )
}
