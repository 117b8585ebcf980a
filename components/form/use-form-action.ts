'use client'

import { type ComponentProps, startTransition, useActionState, useEffect, useRef } from 'react'
import { type Action, type ActionState, idle, repeatAs } from '#lib/forms/action-state.ts'
import { callAction } from './call-action.ts'
import { onSignInElsewhere } from './sign-in-channel.ts'
import { useNotSent } from './use-not-sent.ts'

/**
 * A form that is sent to a server action: what was typed stays, and the first field that is wrong gets the focus. What
 * waits for a new sign-in is sent once more as soon as there is one in another tab, for the same person only.
 */
export interface FormAction<T> {
  readonly state: ActionState<T>
  readonly pending: boolean
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: string) => string | undefined
  /** For the form element. */
  readonly form: Pick<ComponentProps<'form'>, 'onSubmit' | 'ref' | 'noValidate' | 'method'>
}

export function useFormAction<T>(action: Action<T>, onDone?: (value: T) => void): FormAction<T> {
  const notSent = useNotSent()
  const [state, send, pending] = useActionState<ActionState<T>, FormData>(async (_previous, form) => {
    const next = await callAction(action, form, notSent)
    if (next.kind === 'done') onDone?.(next.value)
    return next
  }, idle)
  const form = useRef<HTMLFormElement>(null)
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
    errorOf: (field) => (state.kind === 'invalid' ? state.fields[field] : undefined),
    form: {
      ref: form,
      // If the form is submitted before hydration, its values must not end up in the URL.
      method: 'post',
      // The page says what is wrong in its own words, beside the field.
      noValidate: true,
      // By hand, since React empties a form that is sent through `action`.
      onSubmit: (event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        if (waitsFor !== null) data.set(repeatAs, waitsFor)
        startTransition(() => send(data))
      },
    },
  }
}
