'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import type { ActionState } from '#lib/forms/action-state.ts'
import { RefusalCallout } from '../refusal-callout.tsx'
import { Callout } from '../ui/callout.tsx'

/** Says that an action was refused, and what to do next. Nothing while all is well: words for fields stand beside them. */
export function ActionOutcome({
  state,
  className,
}: {
  readonly state: ActionState<unknown>
  readonly className?: string
}) {
  const look = className ? { className } : {}
  if (state.kind === 'refused') {
    return <RefusalCallout refusal={state} {...look} />
  }
  return state.kind === 'signed-out' ? <SignInAgainLink {...look} /> : null
}

/**
 * Opens the sign-in in another tab, which closes itself; `useFormAction` then submits again. The tab has a
 * name, because an unnamed one has no `opener`.
 */
function SignInAgainLink({ className }: { readonly className?: string }) {
  const here = `${usePathname()}?${useSearchParams()}`
  return (
    <Callout kind="warning" title="You need to sign in again first." {...(className ? { className } : {})}>
      Nothing was changed.{' '}
      <a href={`/sign-in?again=1&next=${encodeURIComponent(here)}`} target="sign-in" className="underline">
        Sign in again in a new tab
      </a>
      , and this goes on by itself with what you typed.
    </Callout>
  )
}
