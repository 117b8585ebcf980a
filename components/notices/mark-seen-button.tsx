'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'

/** This admin has seen everything up to the newest notice shown. */
export function MarkSeenButton({
  newest,
  markSeen,
}: {
  readonly newest: string
  readonly markSeen: Action<{ readonly marked: number }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(markSeen, () => router.refresh(), {
    done: 'Nothing is new to you any more.',
  })
  return (
    <form {...form} className="grid gap-3">
      <input type="hidden" name="newest" value={newest} />
      <Button type="submit" pending={pending}>
        Mark as seen
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
