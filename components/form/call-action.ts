import type { Action, ActionState, FormValues } from '#lib/forms/action-state.ts'

/** Calls a server action; no connection, or a page older than the server, is an outcome with words like any other. */
export async function callAction<T>(
  action: Action<T>,
  input: Record<string, unknown> | FormData,
  words?: NotSentWords,
): Promise<ActionState<T>> {
  try {
    return input instanceof FormData ? await action({ kind: 'idle' }, input) : await action(input)
  } catch {
    return {
      ...(words ?? notSent),
      kind: 'refused',
      values: input instanceof FormData ? valuesOf(input) : {},
    }
  }
}

interface NotSentWords {
  readonly title: string
  readonly next: string
}

const notSent: NotSentWords = {
  title: 'This could not be sent.',
  next: 'Check your connection and try again. If it stays, reload the page.',
}

function valuesOf(form: FormData): FormValues {
  const values: FormValues = {}
  for (const [name, value] of form) if (typeof value === 'string') values[name] = value
  return values
}
