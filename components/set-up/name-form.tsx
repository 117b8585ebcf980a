'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'

/** What the others will call whoever joins. */
export function NameForm({
  action,
  name,
}: {
  readonly action: Action<{ readonly name: string }>
  readonly name: string
}) {
  const router = useRouter()
  const { state, pending, errorOf, form } = useFormAction(action, () => router.refresh())
  return (
    <form {...form} className="mt-6 grid gap-3 text-left">
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        required
        defaultValue={name}
        hint="The others see it beside what you do."
        error={errorOf('name')}
      />
      <ActionOutcome state={state} />
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {pending ? 'Saving…' : 'Go on'}
      </Button>
    </form>
  )
}
