'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft-line.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Textarea } from '#components/ui/textarea.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { NoteView } from '#lib/transactions/notes/note-view.ts'

/** Writes a note, or writes one anew. */
export function NoteForm({
  transaction,
  ticketAddress,
  note,
  save,
  onClose,
}: {
  readonly transaction: string
  readonly ticketAddress: string | null
  /** Null for a new one. */
  readonly note: NoteView | null
  readonly save: Action<{ readonly noteId: string }>
  readonly onClose: (done: boolean) => void
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(
    save,
    // The form makes way for what it wrote once that is here.
    () =>
      startTransition(() => {
        onClose(true)
        router.refresh()
      }),
    { draft: `note ${note?.id ?? 'new'}` },
  )
  return (
    <form {...form} className="mb-4 grid gap-3">
      <input type="hidden" name="transaction" value={transaction} />
      {note && <input type="hidden" name="noteId" value={note.id} />}
      <Field
        label={note ? 'Your note' : 'New note'}
        hint="All of the team read it, customers never. No account numbers, and nothing that a check has found."
        error={errorOf('text')}
      >
        {(control) => (
          <Textarea
            {...control}
            name="text"
            rows={3}
            maxLength={2_000}
            defaultValue={note?.text ?? undefined}
            autoFocus
          />
        )}
      </Field>
      <TextField
        label="Ticket"
        name="ticket"
        aside="Optional"
        hint={
          ticketAddress === null
            ? 'Its address, with https://.'
            : 'Its name, such as HELP-12, or its address.'
        }
        defaultValue={note?.ticket ?? ''}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        error={errorOf('ticket')}
      />
      <ActionOutcome state={state} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <DraftLine draft={draft} />
        <Button variant="ghost" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" pending={pending}>
          Keep
        </Button>
      </div>
    </form>
  )
}
