'use client'

import type { ActionState } from '#lib/forms/action-state.ts'
import { SignInAgainCallout } from './fresh-sign-in.tsx'
import { RefusalCallout } from './refusal-callout.tsx'

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
  return state.kind === 'signed-out' ? <SignInAgainCallout {...look} /> : null
}
