'use client'

import { useRouter } from 'next/navigation'
import { keepFocusNear } from '#components/ui/browser/focus.ts'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button records that this person works on the alert, so that nobody is notified of it again, or takes that back. */
export function AcknowledgeButton({
  id,
  of,
  label,
  done,
  action,
}: {
  readonly id: string
  /** `of` tells the buttons of a list apart in a screen reader. */
  readonly of: string
  readonly label: 'Acknowledge' | 'Unacknowledge'
  readonly done: string
  readonly action: Action<{ readonly id: string }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(action, () => router.refresh(), { done })
  return (
    <form {...form} className="grid gap-2">
      <input type="hidden" name="id" value={id} />
      <Button ref={keepFocusNear} type="submit" size="sm" pending={pending} aria-label={`${label}: ${of}`}>
        {label}
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
