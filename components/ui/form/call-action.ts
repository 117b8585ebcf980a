import { unstable_isUnrecognizedActionError } from 'next/navigation'
import type { Action, ActionState, FormValues, Unanswered } from '#lib/platform/forms/action-state.ts'
import { isScriptGone } from '../browser/loaded-later.ts'

/** The server action is called. If it does not answer, the reason is an outcome like any other. */
export async function callAction<T>(
  action: Action<T>,
  input: Record<string, unknown> | FormData,
): Promise<ActionState<T>> {
  try {
    return input instanceof FormData ? await action({ kind: 'idle' }, input) : await action(input)
  } catch (error) {
    const values = input instanceof FormData ? valuesOf(input) : {}
    return { kind: 'unanswered', why: whyUnanswered(error), values }
  }
}

/** The reason is read from the error of a request. An error that no request throws is thrown again. */
export function whyUnanswered(error: unknown): Unanswered {
  if (unstable_isUnrecognizedActionError(error)) return 'older-page'
  if (!(error instanceof Error)) throw error
  if (isScriptGone(error)) return navigator.onLine ? 'older-page' : 'no-answer'
  // Browsers throw this error when a request has no answer or a broken one; their messages differ.
  return error instanceof TypeError ? 'no-answer' : 'server-error'
}

function valuesOf(form: FormData): FormValues {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
