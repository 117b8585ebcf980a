'use client'

import { useRouter } from 'next/navigation'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Time } from '#components/ui/time.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

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
