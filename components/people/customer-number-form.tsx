'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Roles that work with customers can change the merchant's own number of a person. */
export function CustomerNumberForm({
  set,
  userUuid,
  customerNumber,
}: {
  /** `set` is null for roles that may only read the number. */
  readonly set: Action<{ readonly customerNumber: string | null }> | null
  readonly userUuid: string
  readonly customerNumber: string | null
}) {
  if (set === null)
    return (
      <Card title="Customer number">
        <p className="text-table">{customerNumber ?? <span className="text-muted">None</span>}</p>
      </Card>
    )
  return <ChangeNumber set={set} userUuid={userUuid} customerNumber={customerNumber} />
}

function ChangeNumber({
  set,
  userUuid,
  customerNumber,
}: {
  readonly set: Action<{ readonly customerNumber: string | null }>
  readonly userUuid: string
  readonly customerNumber: string | null
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(set, () => router.refresh(), {
    draft: 'customer-number',
  })
  return (
    <Card title="Customer number">
      <form {...form} className="grid gap-3">
        <input type="hidden" name="userUuid" value={userUuid} />
        <input type="hidden" name="seen" value={customerNumber ?? ''} />
        <div className="flex items-end gap-2">
          <TextField
            className="min-w-0 flex-1"
            label="Your own number"
            name="customerNumber"
            defaultValue={customerNumber ?? ''}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            error={errorOf('customerNumber')}
          />
          <Button type="submit" size="lg" pending={pending}>
            Save
          </Button>
        </div>
        <p role="status" className="text-done text-sm empty:hidden">
          {state.kind === 'done' && 'Saved: people find it by this.'}
        </p>
        <DraftLine draft={draft} />
        <ActionOutcome state={state} />
      </form>
    </Card>
  )
}
