'use client'

import { useActionState } from 'react'
import { type Action, idle } from '#lib/forms/action-state.ts'
import { SignOutButton } from './user-menu.tsx'

/** Ends the session on the server, which then sends the browser to the sign-in page. */
export function SignOut({ action }: { readonly action: Action<never> }) {
  const [state, submit, pending] = useActionState(action, idle)
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
