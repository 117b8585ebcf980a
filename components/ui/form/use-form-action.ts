'use client'

import { type ComponentProps, startTransition, useActionState, useEffect, useRef, useState } from 'react'
import { type Action, type ActionState, idle, repeatAs } from '#lib/platform/forms/action-state.ts'
import { useHeldDialog } from '../held-dialog.ts'
import { callAction } from './call-action.ts'
import { useSayDone } from './done-line.tsx'
import { type FormDraft, useDraft } from './draft.tsx'
import { useFieldErrors } from './form-fields.ts'
import { onSignInElsewhere } from './tab-channel.ts'

/**
 * The form is sent to a server action. Typed text stays, and the first wrong field gets the focus. A form that
 * waits for a new sign-in is sent once more as soon as there is one in another tab, only for the same person.
 */
export interface FormAction<T> {
  readonly state: ActionState<T>
  readonly pending: boolean
  /** `isAsSent`: the form holds what `state` answers, and was not changed since it was sent. */
  readonly isAsSent: boolean
  /** The error of a field is shown until the field is corrected. */
  readonly errorOf: (field: string) => string | undefined
  /** `DraftLine` gets this. */
  readonly draft: FormDraft
  /** The form element gets this. */
  readonly form: Pick<ComponentProps<'form'>, 'onSubmit' | 'onInput' | 'ref' | 'noValidate' | 'method'>
}

interface FormOptions<T> {
  /** `draft` tells this form from others of its page; typed text is kept under it until it is sent. */
  readonly draft?: string | undefined
  /** `anyQuery`: the draft stays when only the query of the address changes. */
  readonly anyQuery?: boolean
  /** `done` is one line about what was done, when neither the form nor the page says so. */
  readonly done?: DoneWords<T> | undefined
}

/** The words say what was done; null when another place says it. */
export type DoneWords<T> = string | ((value: T) => string | null) | null

export function useFormAction<T>(
  action: Action<T>,
  onDone?: (value: T) => void,
  { draft: draftName, anyQuery = false, done = null }: FormOptions<T> = {},
): FormAction<T> {
  const say = useSayDone()
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft(form, draftName, anyQuery)
  const [state, send, pending] = useActionState<ActionState<T>, FormData>(async (_previous, data) => {
    const next = await callAction(action, data)
    if (next.kind === 'done') {
      draft.end()
      say(typeof done === 'function' ? done(next.value) : done)
      onDone?.(next.value)
    }
    return next
  }, idle)
  const [isChanged, setChanged] = useState(false)
  useHeldDialog(pending)
  const { errorOf, onInput } = useFieldErrors(state)
  useEffect(() => {
    if (state.kind === 'invalid') form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [state])
  const waitsFor = state.kind === 'signed-out' ? state.as : null
  useEffect(() => {
    if (waitsFor !== null) return onSignInElsewhere(() => form.current?.requestSubmit())
  }, [waitsFor])
  return {
    state,
    pending,
    isAsSent: !pending && !isChanged,
    errorOf,
    draft,
    form: {
      ref: form,
      onInput: (event) => {
        setChanged(true)
        onInput(event)
      },
      // Sent before the page's scripts run, the form does nothing: no value ends up in an address, and none is lost.
      method: 'dialog',
      // The page has its own error messages beside the fields.
      noValidate: true,
      // React empties a form that is sent through `action`, so this sends it by hand.
      onSubmit: (event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        setChanged(false)
        if (waitsFor !== null) data.set(repeatAs, waitsFor)
        startTransition(() => send(data))
      },
    },
  }
}
