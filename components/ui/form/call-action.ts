import { unstable_isUnrecognizedActionError } from 'next/navigation'
import type { Action, ActionState, FormValues, Unanswered } from '#lib/platform/forms/action-state.ts'
import { isScriptGone } from '../browser/loaded-later.ts'

/** Calls a server action; when it does not answer, the reason is an outcome like any other. */
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

/** Reads what a request threw. Throws what no request throws. */
export function whyUnanswered(error: unknown): Unanswered {
  if (unstable_isUnrecognizedActionError(error)) return 'older-page'
  if (!(error instanceof Error)) throw error
  if (isScriptGone(error)) return navigator.onLine ? 'older-page' : 'no-answer'
  // Browsers throw it when a request has no answer, or one that breaks off; the words differ.
  return error instanceof TypeError ? 'no-answer' : 'server-error'
}

function valuesOf(form: FormData): FormValues {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
