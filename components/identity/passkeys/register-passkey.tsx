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
 * A form that makes a passkey in this browser and sends it. `begin` gets the form's fields and answers what to make;
 * `finish` gets the same fields and what the device gave as `answer`. The passkey's own name is the field `passkeyName`.
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
  /** One line about what was done, where the page stays. */
  readonly done?: string | null
  readonly label?: string
  /** The button that leaves without one, where the form can be left. */
  readonly cancel?: ReactNode
  /** Fields of its own, each with what is wrong with it. */
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

/** What its owner calls a passkey: the field `passkeyName`. */
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
