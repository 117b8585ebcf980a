'use client'

import { useRouter } from 'next/navigation'
import { keepFocusNear } from '#components/ui/browser/focus.ts'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { attentionLabels } from '#lib/operations/labels/attention-labels.ts'
import type { AttentionKind } from '#lib/operations/rules/attention-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button snoozes an item, which leaves the overview, with a note. */
export function SnoozeButton({
  kind,
  about,
  since,
  of,
  action,
}: {
  readonly kind: AttentionKind
  readonly about: string
  readonly since: string
  /** `of` is the item in words. */
  readonly of: string
  readonly action: Action<{ readonly about: string }>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Snooze"
      of={of}
      variant="ghost"
      tabStop={false}
      title={`Snooze ${attentionLabels[kind].one}?`}
      description="It leaves this list for everybody until something new happens. You find it under “Snoozed”, with your note."
      action={action}
      fields={{ kind, about, since }}
      done="Snoozed until something new happens."
      onDone={() => router.refresh()}
    />
  )
}

/** The button ends the snooze of an item. */
export function UnsnoozeButton({
  kind,
  about,
  of,
  action,
}: {
  readonly kind: AttentionKind
  readonly about: string
  /** `of` is the item in words. */
  readonly of: string
  readonly action: Action<{ readonly about: string }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(action, () => router.refresh(), {
    done: 'Snooze ended. It is back in the list.',
  })
  return (
    <form {...form} className="grid gap-2">
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="about" value={about} />
      <Button
        ref={keepFocusNear}
        type="submit"
        size="sm"
        pending={pending}
        aria-label={`End snooze of ${of}`}
        className="justify-self-end"
      >
        End snooze
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
