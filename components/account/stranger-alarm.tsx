'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'

/** Tells a person that strangers tried to get in with codes for their address, until they have seen it. */
export function StrangerAlarm({
  lastAt,
  markSeen,
}: {
  /** ISO 8601. */
  readonly lastAt: string
  readonly markSeen: Action<{ readonly marked: number }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(markSeen, () => router.refresh())
  return (
    <form {...form}>
      <Callout
        kind="warning"
        title="Somebody tried to sign in as you."
        actions={
          <Button type="submit" size="sm" pending={pending}>
            I have seen it
          </Button>
        }
      >
        On <Time at={lastAt} style="exact" />, so many codes for your e-mail address had been asked for or
        tried in browsers that you have not used that they were stopped for the day. None of them got in. Give
        no code to anybody.
      </Callout>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}
