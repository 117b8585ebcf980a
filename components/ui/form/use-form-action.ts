'use client'

import { type ComponentProps, startTransition, useActionState, useEffect, useRef } from 'react'
import { type Action, type ActionState, idle, repeatAs } from '#lib/platform/forms/action-state.ts'
import { callAction } from './call-action.ts'
import { useSayDone } from './done-line.tsx'
import { type FormDraft, useDraft } from './draft.tsx'
import { useFieldErrors } from './form-fields.ts'
import { onSignInElsewhere } from './tab-channel.ts'

/**
 * A form that is sent to a server action: what was typed stays, and the first field that is wrong gets the focus. What
 * waits for a new sign-in is sent once more as soon as there is one in another tab, for the same person only.
 */
export interface FormAction<T> {
  readonly state: ActionState<T>
  readonly pending: boolean
  /** What is wrong with a field, in words, until it is put right. */
  readonly errorOf: (field: string) => string | undefined
  /** For `DraftLine`. */
  readonly draft: FormDraft
  /** For the form element. */
  readonly form: Pick<ComponentProps<'form'>, 'onSubmit' | 'onInput' | 'ref' | 'noValidate' | 'method'>
}

interface FormOptions<T> {
  /** What tells this form from others of its page, where what is typed is kept until it is sent. */
  readonly draft?: string | undefined
  /** One line about what was done, where neither the form nor the page says so. */
  readonly done?: DoneWords<T> | undefined
}

/** Words about what was done; null where they stand elsewhere. */
export type DoneWords<T> = string | ((value: T) => string | null) | null

export function useFormAction<T>(
  action: Action<T>,
  onDone?: (value: T) => void,
  { draft: draftName, done = null }: FormOptions<T> = {},
): FormAction<T> {
  const say = useSayDone()
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft(form, draftName)
  const [state, send, pending] = useActionState<ActionState<T>, FormData>(async (_previous, data) => {
    const next = await callAction(action, data)
    if (next.kind === 'done') {
      draft.end()
      say(typeof done === 'function' ? done(next.value) : done)
      onDone?.(next.value)
    }
    return next
  }, idle)
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
    errorOf,
    draft,
    form: {
      ref: form,
      onInput,
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
