'use client'

import { type ReactNode, useMemo } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { makeThen } from '#components/ui/form/ask-passkey.ts'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { RegistrationOptions } from '#lib/identity/passkeys/registration.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/**
 * The form makes a passkey in this browser and sends it. `begin` gets the form's fields and returns what to make.
 * `finish` gets the same fields, and the device's answer as `answer`. The field `passkeyName` is the name of the
 * passkey.
 */
export function RegisterPasskey<T>({
  begin,
  finish,
  onDone,
  done = null,
  label = 'Create passkey',
  cancel,
  children,
}: {
  readonly begin: Action<RegistrationOptions>
  readonly finish: Action<T>
  readonly onDone: (value: T) => void
  /** `done` is one line about what was done, for a form that stays on the page. */
  readonly done?: string | null
  readonly label?: string
  /** `cancel` is the button that leaves the form without a passkey. */
  readonly cancel?: ReactNode
  /** The form may have more fields, each with its error. */
  readonly children?: (errorOf: (field: string) => string | undefined) => ReactNode
}) {
  const act = useMemo(() => makeThen(begin, finish), [begin, finish])
  const { state, pending, errorOf, draft, form } = useFormAction(act, onDone, { done, draft: 'passkey' })
  return (
    <form {...form} className="grid gap-4">
      {children?.(errorOf)}
      <PasskeyNameField error={errorOf('passkeyName') ?? errorOf('answer')} />
      <ActionOutcome state={state} />
      <div className="flex flex-wrap justify-end gap-2">
        <DraftLine draft={draft} />
        {cancel}
        <Button type="submit" variant="primary" pending={pending || state.kind === 'done'}>
          {pending ? 'Waiting for your device…' : label}
        </Button>
      </div>
    </form>
  )
}

/** The owner gives a passkey its name in the field `passkeyName`. */
export const PasskeyNameField = ({
  error,
  defaultValue,
}: {
  readonly error: string | undefined
  readonly defaultValue?: string
}) => (
  <TextField
    label="Name of this passkey"
    hint="To tell it from others, such as “Work laptop”."
    name="passkeyName"
    maxLength={60}
    autoComplete="off"
    required
    defaultValue={defaultValue}
    error={error}
  />
)
