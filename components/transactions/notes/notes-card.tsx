'use client'

import { ExternalLink } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { startTransition, useState } from 'react'
import { keepFocusNear } from '#components/ui/browser/focus.ts'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Textarea } from '#components/ui/input.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { NoteView } from '#lib/transactions/notes/notes.ts'

const readers = 'support, compliance and admins'

type NoteAction = Action<{ readonly noteId: string }>

interface NoteActions {
  readonly add: NoteAction
  readonly change: NoteAction
  readonly remove: NoteAction
}

/** Notes of staff come newest first, with a form for more. */
export function NotesCard({
  subject,
  notes,
  ticketAddress,
  actions,
}: {
  readonly subject: string
  readonly notes: readonly NoteView[]
  /** `ticketAddress` is where the merchant's tickets are; null means anywhere. */
  readonly ticketAddress: string | null
  /** `actions` is null for roles that may only read. */
  readonly actions: NoteActions | null
}) {
  const [said, setSaid] = useState('')
  const [writes, setWrites] = useState(false)
  const form = { subject, ticketAddress }
  return (
    <Card
      title="Notes"
      aria-label="Notes"
      aside={
        actions &&
        !writes && (
          <Button size="sm" variant="ghost" data-commands="" onClick={() => setWrites(true)}>
            Add a note
          </Button>
        )
      }
    >
      {actions && writes && (
        <div ref={keepFocusNear}>
          <NoteForm
            {...form}
            note={null}
            save={actions.add}
            onClose={(done) => {
              setWrites(false)
              if (done) setSaid(`Saved: ${readers} can read it.`)
            }}
          />
        </div>
      )}
      {notes.length === 0 && !writes && (
        <p className="text-muted text-table">No notes yet. Only your team sees notes.</p>
      )}
      <ul className="grid gap-3">
        {notes.map((note) => (
          <Note key={note.id} {...form} note={note} actions={actions} onDone={setSaid} />
        ))}
      </ul>
      <p role="status" className="mt-2 text-done text-sm empty:hidden">
        {said}
      </p>
    </Card>
  )
}

function Note({
  subject,
  ticketAddress,
  note,
  actions,
  onDone,
}: {
  readonly subject: string
  readonly ticketAddress: string | null
  readonly note: NoteView
  readonly actions: NoteActions | null
  readonly onDone: (said: string) => void
}) {
  const router = useRouter()
  const [changes, setChanges] = useState(false)
  if (actions && changes)
    return (
      <li>
        <div ref={keepFocusNear}>
          <NoteForm
            subject={subject}
            ticketAddress={ticketAddress}
            note={note}
            save={actions.change}
            onClose={(done) => {
              setChanges(false)
              if (done) onDone('Changed.')
            }}
          />
        </div>
      </li>
    )
  return (
    <li className="text-table">
      {note.text === null ? (
        <p className="text-muted">Your role cannot read this note.</p>
      ) : (
        <p className="wrap-anywhere whitespace-pre-line">{note.text}</p>
      )}
      {note.ticket && (
        <p className="mt-0.5">
          <a
            href={note.ticket}
            target="_blank"
            rel="noreferrer"
            className="wrap-anywhere inline-flex items-center gap-1 underline underline-offset-2"
          >
            {note.ticketName}
            <ExternalLink className="size-3.5" aria-hidden />
          </a>
        </p>
      )}
      <div className="mt-0.5 flex flex-wrap items-center gap-x-2 text-muted text-sm">
        {/* The width does not follow the words, which change every second. Otherwise the buttons would move to
            another line. */}
        <span className="grow basis-56">
          {note.by}, <Time at={note.writtenAt} />
          {note.changedAt !== null && (
            <>
              , changed <Time at={note.changedAt} />
            </>
          )}
        </span>
        {actions && note.mayChange && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Change “${beginningOf(note)}”`}
            onClick={() => setChanges(true)}
          >
            Change
          </Button>
        )}
        {actions && note.mayRemove && (
          <ConfirmedActionButton
            label="Remove"
            of={`“${beginningOf(note)}”`}
            variant="danger"
            title="Remove this note?"
            description="It is gone for everybody, and this cannot be undone. The audit keeps that there was one, not what it said."
            action={actions.remove}
            asksReason={false}
            fields={{ subject, noteId: note.id }}
            done={null}
            onDone={() => {
              onDone('Removed.')
              router.refresh()
            }}
          />
        )}
      </div>
    </li>
  )
}

const beginningOf = ({ text }: NoteView) =>
  `${text?.slice(0, 40) ?? ''}${(text?.length ?? 0) > 40 ? '…' : ''}`

/** The form writes a new note, or changes one. */
function NoteForm({
  subject,
  ticketAddress,
  note,
  save,
  onClose,
}: {
  readonly subject: string
  readonly ticketAddress: string | null
  /** `note` is null for a new one. */
  readonly note: NoteView | null
  readonly save: Action<{ readonly noteId: string }>
  readonly onClose: (done: boolean) => void
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(
    save,
    // The form closes once the new note has arrived.
    () =>
      startTransition(() => {
        onClose(true)
        router.refresh()
      }),
    // On a wide screen the query belongs to the list beside.
    { draft: `note ${note?.id ?? 'new'}`, anyQuery: true },
  )
  return (
    <form {...form} className="mb-4 grid gap-3">
      <input type="hidden" name="subject" value={subject} />
      {note && <input type="hidden" name="noteId" value={note.id} />}
      <Field
        label={note ? 'Your note' : 'New note'}
        hint={`Only ${readers} can read it. No account numbers, and nothing that a check has found.`}
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
          Save
        </Button>
      </div>
    </form>
  )
}
