'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { type AllowedExport, ExportButton } from '#components/ui/form/export-button.tsx'
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
  // A refreshed page may know another number, which a reader who has begun to type does not see.
  const [typedOver, setTypedOver] = useState<string | null>(null)
  const present = customerNumber ?? ''
  const { state, pending, isAsSent, errorOf, draft, form } = useFormAction(
    set,
    () => {
      setTypedOver(null)
      router.refresh()
    },
    { draft: 'customer-number' },
  )
  return (
    <Card title="Customer number">
      <form {...form} onChange={() => setTypedOver((before) => before ?? present)} className="grid gap-3">
        <input type="hidden" name="userUuid" value={userUuid} />
        <input type="hidden" name="seen" value={typedOver ?? present} />
        <div className="flex items-end gap-2">
          <TextField
            className="min-w-0 flex-1"
            label="Your customer number"
            name="customerNumber"
            defaultValue={present}
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
          {state.kind === 'done' && isAsSent && 'Saved: people find it by this.'}
        </p>
        <DraftLine draft={draft} />
        <ActionOutcome state={state} />
      </form>
    </Card>
  )
}

/** The card exports all data of a person or a company, or erases it. */
export function EndOfData({
  userUuid,
  isCompany,
  called,
  named,
  allowExport,
  erase,
}: {
  readonly userUuid: string
  readonly isCompany: boolean
  /** `called` is the name or e-mail address; null when neither is known. */
  readonly called: string | null
  /** `named` is typed to confirm: the e-mail address, or else the uuid. */
  readonly named: string
  readonly allowExport: Action<AllowedExport>
  readonly erase: Action<{ readonly erasureId: string }>
}) {
  const router = useRouter()
  const [one, their] = isCompany ? ['company', 'Its'] : ['person', 'Their']
  return (
    <>
      <ExportButton
        label="Export"
        title={`Export all that is held of this ${one}?`}
        description="A file with the profile, sign-ins, transactions, events and audit entries. All admins are told."
        action={allowExport}
        fields={{ userUuid }}
        address={`/api/users/${userUuid}/export`}
      />
      <ConfirmedActionButton
        label="Erase"
        variant="danger"
        title={`Erase ${called ?? `this ${one}`} for good?`}
        description={`${their} data is removed here for good: directory, sign-in, events and searches. Deliveries and imports cannot bring it back. Amounts stay, without a name. Ask the provider separately. All admins are told.`}
        action={erase}
        afterFreshSignIn
        fields={{ userUuid }}
        done={`${their} data is being taken out of everything.`}
        typeToConfirm={named}
        onDone={() => router.refresh()}
      />
    </>
  )
}

/** The button ends all sessions of a user of the service. */
export function EndPersonSessions({
  userUuid,
  end,
}: {
  readonly userUuid: string
  readonly end: Action<{ readonly ended: number }>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="End all"
      title="End all sessions of this person?"
      description="They are signed out everywhere at once. They can sign in again."
      action={end}
      fields={{ userUuid }}
      done={({ ended }) => `Signed out everywhere: ${ended === 1 ? '1 session' : `${ended} sessions`} ended.`}
      onDone={() => router.refresh()}
    />
  )
}
