'use client'

import type { ActionState } from '#lib/platform/forms/action-state.ts'
import { SignInAgainCallout } from './fresh-sign-in.tsx'
import { RefusalCallout, refusalOf } from './refusal-callout.tsx'

/**
 * The callout says that an action was refused or did not answer, and what to do next. Errors of fields are beside
 * the fields.
 */
export function ActionOutcome({
  state,
  className,
}: {
  readonly state: ActionState<unknown>
  readonly className?: string
}) {
  const classes = className ? { className } : {}
  const refusal = refusalOf(state)
  if (refusal) return <RefusalCallout refusal={refusal} {...classes} />
  return state.kind === 'signed-out' ? <SignInAgainCallout {...classes} /> : null
}
