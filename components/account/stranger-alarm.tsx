'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { useWords } from '../browser/words.tsx'
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
  const words = useWords()
  const { state, pending, form } = useFormAction(markSeen, () => router.refresh(), {
    done: words('alarm.noted'),
  })
  return (
    <form {...form}>
      <Callout
        kind="warning"
        title={words('alarm.title')}
        actions={
          <Button type="submit" size="sm" pending={pending}>
            {words('alarm.seen')}
          </Button>
        }
      >
        {words.rich('alarm.body', { time: () => <Time key="time" at={lastAt} style="dated" /> })}
      </Callout>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}
