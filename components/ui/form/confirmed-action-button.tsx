'use client'

import { type ReactNode, useState } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { AlertDialog, AlertDialogCancel } from '../alert-dialog.tsx'
import { keepFocusNear } from '../browser/focus.ts'
import { useWords } from '../browser/words.tsx'
import { Button, type ButtonVariant } from '../button.tsx'
import { DialogActions } from '../dialog.tsx'
import { TextField } from '../field.tsx'
import { ActionOutcome } from './action-outcome.tsx'
import { DraftLine } from './draft.tsx'
import { AfterFreshSignIn } from './fresh-sign-in.tsx'
import { leaveFor } from './leave-guard.ts'
import { ReasonField } from './reason-field.tsx'
import { type DoneWords, useFormAction } from './use-form-action.ts'

export interface ConfirmedAction<T> {
  /** `title` names the action and the object: `Delete “Ledger backend”?` */
  readonly title: string
  /** `description` says what follows from the action. */
  readonly description: ReactNode
  /** `label` is on the button that opens the dialog and on the one that acts. */
  readonly label: string
  /** `of` tells buttons of a list apart in a screen reader: "Snooze… €55.94, on hold". */
  readonly of?: string
  readonly action: Action<T>
  readonly fields: Readonly<Record<string, string>>
  readonly variant?: ButtonVariant
  /** `tabStop` is false in a row of a list, which is one Tab stop: → leads to the button from the row. */
  readonly tabStop?: boolean
  /** `typeToConfirm` must be typed first. */
  readonly typeToConfirm?: string
  /**
   * `afterFreshSignIn`: the action sends data elsewhere or shows a secret, so a person who signed in too long ago
   * proves first who they are.
   */
  readonly afterFreshSignIn?: boolean
  /** `asksReason` is false for an action that removes nothing and needs no reason. */
  readonly asksReason?: boolean
  /** `done` is one line about what was done; null when the result says it. */
  readonly done: DoneWords<T>
  /** `draft` tells the draft from others of the page, when the label and the fields should not. */
  readonly draft?: string
  /** `onDone` is called when the action is done, or when its result was read. */
  readonly onDone: (value: T) => void
  /** `result` is shown in the dialog once the action is done. Without it the dialog closes. */
  readonly result?: (value: T) => { readonly title: string; readonly body: ReactNode }
  /** The form may have more fields, each with its error. */
  readonly children?: (errorOf: (field: string) => string | undefined) => ReactNode
}

interface Result<T> {
  readonly title: string
  readonly body: ReactNode
  readonly value: T
}

/**
 * The button opens a dialog that says what will happen and asks for a reason. Typed text is kept until it is sent,
 * except the text that confirms.
 */
export function ConfirmedActionButton<T>(action: ConfirmedAction<T>) {
  const [open, setOpen] = useState(false)
  const [result, setResult] = useState<Result<T> | null>(null)
  // The fields are those of the moment when the dialog opened: the reader has not read what a refreshed page knows.
  const [fields, setFields] = useState(action.fields)
  const words = useWords()
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (next) {
          setResult(null)
          setFields(action.fields)
          return setOpen(true)
        }
        leaveFor(() => {
          // The call comes only after the result was read, because the refreshed page may not contain this dialog
          // and its secret any more.
          if (result) action.onDone(result.value)
          setOpen(false)
        })
      }}
      trigger={
        <Button
          ref={keepFocusNear}
          variant={action.variant ?? 'secondary'}
          tabIndex={action.tabStop === false ? -1 : undefined}
          aria-label={action.of && `${action.label}… ${action.of}`}
        >
          {action.label}…
        </Button>
      }
      title={result?.title ?? action.title}
      description={result?.body ?? action.description}
    >
      {result ? (
        <DialogActions>
          <AlertDialogCancel>{words('form.close')}</AlertDialogCancel>
        </DialogActions>
      ) : (
        <Gate closed={action.afterFreshSignIn === true}>
          <ConfirmedActionForm
            {...action}
            fields={fields}
            onDone={(value) => {
              if (action.result) return setResult({ ...action.result(value), value })
              setOpen(false)
              action.onDone(value)
            }}
          />
        </Gate>
      )}
    </AlertDialog>
  )
}

/** The dialog can be closed also before the sign-in. */
function Gate({ closed, children }: { readonly closed: boolean; readonly children: ReactNode }) {
  return closed ? <AfterFreshSignIn cancel={<AlertDialogCancel />}>{children}</AfterFreshSignIn> : children
}

function ConfirmedActionForm<T>(confirmed: ConfirmedAction<T>) {
  const [typed, setTyped] = useState('')
  const { state, pending, errorOf, draft, form } = useFormAction(confirmed.action, confirmed.onDone, {
    draft: confirmed.draft ?? [confirmed.label, ...Object.values(confirmed.fields)].join(' '),
    done: confirmed.done,
  })
  const ready = confirmed.typeToConfirm === undefined || typed.trim() === confirmed.typeToConfirm.trim()
  const wrong = Object.keys(confirmed.fields).map(errorOf).find(Boolean)
  return (
    <form {...form} className="flex flex-col gap-4">
      {Object.entries(confirmed.fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {confirmed.children?.(errorOf)}
      {confirmed.asksReason !== false && <ReasonField error={errorOf('reason')} />}
      {confirmed.typeToConfirm !== undefined && (
        <TextField
          label={
            <>
              To confirm, type <span className="mono break-all">{confirmed.typeToConfirm}</span>
            </>
          }
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={wrong}
        />
      )}
      <ActionOutcome state={state} />
      <DialogActions>
        <DraftLine draft={draft} />
        <AlertDialogCancel />
        <Button
          type="submit"
          variant={confirmed.variant === 'danger' ? 'danger' : 'primary'}
          pending={pending}
          disabled={!ready}
        >
          {confirmed.label}
        </Button>
      </DialogActions>
    </form>
  )
}
