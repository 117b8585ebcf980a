'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Select } from '#components/ui/input.tsx'
import type { AlertReceivingView } from '#lib/operations/alerts/alert-members.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { QuietFields } from './quiet-fields.tsx'

/** A member chooses which alerts come by e-mail, and when warnings wait. */
export function ReceivingForm({
  receiving: { receives, quiet },
  change,
}: {
  readonly receiving: AlertReceivingView
  readonly change: Action<{ readonly receives: AlertReceivingView['receives'] }>
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(change, () => router.refresh(), {
    draft: 'receiving',
    done: 'Saved.',
  })
  return (
    <form {...form} className="grid max-w-xl gap-4">
      <Field label="E-mails" error={errorOf('receives')}>
        {(control) => (
          <Select {...control} name="receives" defaultValue={receives}>
            <option value="all">All alerts that your role sees</option>
            <option value="urgent">Only urgent alerts</option>
            <option value="none">None</option>
          </Select>
        )}
      </Field>
      <QuietFields quiet={quiet} errorOf={errorOf} />
      <ActionOutcome state={state} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <DraftLine draft={draft} />
        <Button type="submit" variant="primary" pending={pending}>
          Save
        </Button>
      </div>
    </form>
  )
}
