'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button records that this person works on the alert, so that nobody is notified of it again. */
export function AcknowledgeButton({
  id,
  of,
  acknowledge,
}: {
  readonly id: string
  /** `of` tells the buttons of a list apart in a screen reader. */
  readonly of: string
  readonly acknowledge: Action<{ readonly id: string }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(acknowledge, () => router.refresh(), {
    done: 'Acknowledged. Its end is still sent.',
  })
  return (
    <form {...form} className="grid gap-2">
      <input type="hidden" name="id" value={id} />
      <Button type="submit" size="sm" pending={pending} aria-label={`Acknowledge: ${of}`}>
        Acknowledge
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
