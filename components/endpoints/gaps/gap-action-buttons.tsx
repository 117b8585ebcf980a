'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { AlertDialog, AlertDialogCancel } from '#components/ui/alert-dialog.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogActions } from '#components/ui/dialog.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { gapOutcomes } from '#lib/endpoints/rules/gaps.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { gapOutcomeLabels } from './gap-labels.ts'

export interface GapActions {
  readonly close: Action<{ readonly gapId: string }>
  readonly reopen: Action<{ readonly gapId: string }>
}

/** An admin closes a gap with its outcome, or reopens it. */
export function GapActionButtons({
  gapId,
  closed,
  lasts,
  actions,
}: {
  readonly gapId: string
  readonly closed: boolean
  readonly lasts: boolean
  readonly actions: GapActions
}) {
  const router = useRouter()
  const show = () => router.refresh()
  if (!closed) return <CloseGap gapId={gapId} lasts={lasts} action={actions.close} onDone={show} />
  return (
    <ConfirmedActionButton
      label="Reopen"
      title="Reopen these missed deliveries?"
      description="Transactions and the timeline warn of them again. The earlier outcome stays in the audit log."
      action={actions.reopen}
      fields={{ gapId }}
      done="Reopened: pages warn again."
      onDone={show}
    />
  )
}

interface Closing {
  readonly gapId: string
  readonly lasts: boolean
  readonly action: Action<{ readonly gapId: string }>
  readonly onDone: () => void
}

/** The form asks for the outcome of a gap and the reason. */
function CloseGap(closing: Closing) {
  const [open, setOpen] = useState(false)
  const onDone = () => {
    setOpen(false)
    closing.onDone()
  }
  return (
    <AlertDialog
      open={open}
      onOpenChange={setOpen}
      trigger={<Button variant="primary">Close…</Button>}
      title="Close these missed deliveries?"
      description={`${
        closing.lasts ? 'It is still going on: more deliveries may be missed. ' : ''
      }Transactions and the timeline no longer warn of them. You can reopen them from the list.`}
    >
      <CloseForm {...closing} onDone={onDone} />
    </AlertDialog>
  )
}

function CloseForm({ gapId, action, onDone }: Closing) {
  const { state, pending, errorOf, draft, form } = useFormAction(action, onDone, {
    draft: `close ${gapId}`,
    done: 'Closed: pages no longer warn.',
  })
  return (
    <form {...form} className="flex flex-col gap-4">
      <input type="hidden" name="gapId" value={gapId} />
      <fieldset className="grid gap-2">
        <legend className="mb-2 font-label text-sm">Outcome</legend>
        {gapOutcomes.map((outcome) => (
          <label key={outcome} className="flex items-center gap-2 text-sm pointer-coarse:min-h-10">
            <input type="radio" name="outcome" value={outcome} className="size-4 shrink-0 accent-ink" />
            {gapOutcomeLabels[outcome]}
          </label>
        ))}
        {errorOf('outcome') && (
          <p data-tone="fail" className="text-sm text-tone">
            {errorOf('outcome')}
          </p>
        )}
      </fieldset>
      <ReasonField error={errorOf('reason')} />
      <ActionOutcome state={state} />
      <DialogActions>
        <DraftLine draft={draft} />
        <AlertDialogCancel />
        <Button type="submit" variant="primary" pending={pending}>
          Close
        </Button>
      </DialogActions>
    </form>
  )
}
