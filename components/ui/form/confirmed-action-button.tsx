'use client'

import { type ReactNode, useState } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { AlertDialog, AlertDialogCancel } from '../alert-dialog.tsx'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import type { ButtonVariant } from '../button-class.ts'
import { DialogActions } from '../dialog.tsx'
import { TextField } from '../field.tsx'
import { ActionOutcome } from './action-outcome.tsx'
import { DraftLine } from './draft.tsx'
import { AfterFreshSignIn } from './fresh-sign-in.tsx'
import { leaveFor } from './leave-guard.ts'
import { ReasonField } from './reason-field.tsx'
import { type DoneWords, useFormAction } from './use-form-action.ts'

export interface ConfirmedAction<T> {
  /** Names the object and the action: `Delete “Ledger backend”?` */
  readonly title: string
  /** What follows from it. */
  readonly description: ReactNode
  /** The words of the button that opens it, and of the one that does it. */
  readonly label: string
  /** Which one of several in a list, for whoever hears the button by itself: "Mute… €55.94, on hold". */
  readonly of?: string
  readonly action: Action<T>
  readonly fields: Readonly<Record<string, string>>
  readonly variant?: ButtonVariant
  /** False in a row of a list, which is one Tab stop: → leads to it from the row. */
  readonly tabStop?: boolean
  /** What must be typed first. */
  readonly typeToConfirm?: string
  /** Whether it sends data elsewhere or shows a secret: whoever signed in too long ago proves first who they are. */
  readonly afterFreshSignIn?: boolean
  /** False for what takes nothing away and needs no reason. */
  readonly asksReason?: boolean
  /** One line about what was done; null where the result says it. */
  readonly done: DoneWords<T>
  /** What tells its draft from others of the page, where the label and the fields should not. */
  readonly draft?: string
  /** Called when it is done, or when the result was read. */
  readonly onDone: (value: T) => void
  /** Stands in the dialog once it is done; without it the dialog closes. */
  readonly result?: (value: T) => { readonly title: string; readonly body: ReactNode }
  /** Fields of its own, each with what is wrong with it. */
  readonly children?: (errorOf: (field: string) => string | undefined) => ReactNode
}

interface Result<T> {
  readonly title: string
  readonly body: ReactNode
  readonly value: T
}

/**
 * A button that opens a dialog, which says what will happen and asks for a reason. What is typed is kept until it is sent,
 * but for what must be typed to confirm.
 */
export function ConfirmedActionButton<T>(action: ConfirmedAction<T>) {
  const [open, setOpen] = useState(false)
  const [result, setResult] = useState<Result<T> | null>(null)
  // As they were when the dialog opened: what a page that refreshes meanwhile knows was not what was read.
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
          // Called only when the result was read: the refreshed page may no longer contain this dialog and the
          // secret in it.
          if (result) action.onDone(result.value)
          setOpen(false)
        })
      }}
      trigger={
        <Button
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

/** Without the sign-in the dialog has a way out all the same. */
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
