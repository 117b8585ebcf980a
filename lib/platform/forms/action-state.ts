/** What a server action answers to the form or button that called it, or why it did not: `unanswered` is the browser’s own. */
export type ActionState<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'done'; readonly value: T }
  /** Words beside each field, by its name; what was typed stays in `values`. Nothing was changed. */
  | { readonly kind: 'invalid'; readonly fields: Record<string, string>; readonly values: FormValues }
  | { readonly kind: 'refused'; readonly title: string; readonly next: string; readonly values: FormValues }
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly values: FormValues }
  /**
   * Sign in again in place, then send the same form once more, with `as` in the field `repeatAs`: the
   * server repeats nothing for anybody else. `as` is null when nobody was signed in.
   */
  | { readonly kind: 'signed-out'; readonly as: string | null; readonly values: FormValues }

/**
 * Why there is no answer of an action. `older-page`: the page was opened before an upgrade and nothing was done; `no-answer`: it
 * may or may not have arrived; `server-error`: the server answered with an error, so that was not the connection.
 */
export type Unanswered = 'older-page' | 'no-answer' | 'server-error'

/** What was typed, by field; a list where a field occurred more than once. */
export type FormValues = Record<string, string | string[]>

/** Where every form starts. */
export const idle = { kind: 'idle' } as const

/** The field in which a repeated form says for whom it was first sent. */
export const repeatAs = 'repeatAs'

/**
 * A server action for forms and for code: `useActionState(create, idle)`, or `await issueChallenge({ address, chainId })`.
 */
export interface Action<T> {
  (previous: ActionState<T>, form: FormData): Promise<ActionState<T>>
  (input: Record<string, unknown>): Promise<ActionState<T>>
}
