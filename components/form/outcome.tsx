'use client'

import { usePathname } from 'next/navigation'
import type { ActionState } from '#lib/domain/action-state.ts'
import { Callout } from '../ui/callout.tsx'

/** Says that an action was refused, and what to do next. Nothing while all is well: words for fields stand beside them. */
export function Outcome({
  state,
  className,
}: {
  readonly state: ActionState<unknown>
  readonly className?: string
}) {
  const path = usePathname()
  const look = className ? { className } : {}
  if (state.kind === 'refused') {
    return (
      <Callout kind="error" title={state.title} {...look}>
        {state.next}
      </Callout>
    )
  }
  if (state.kind === 'signed-out') {
    return (
      <Callout kind="warning" title="You need to sign in again first." {...look}>
        Nothing was changed.{' '}
        <a href={`/sign-in?again=1&next=${encodeURIComponent(path)}`} className="underline">
          Sign in again
        </a>
        , then come back to this page.
      </Callout>
    )
  }
  return null
}
