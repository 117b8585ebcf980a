/** The state is what a server action returns to its form or button. The browser itself sets `unanswered`. */
export type ActionState<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'done'; readonly value: T }
  /** The messages are by field name, and `values` keeps the input. Nothing was changed. */
  | { readonly kind: 'invalid'; readonly fields: Record<string, string>; readonly values: FormValues }
  | { readonly kind: 'refused'; readonly title: string; readonly next: string; readonly values: FormValues }
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly values: FormValues }
  /**
   * The person must sign in again in place, and the form is sent again with `as` in the field `repeatAs`. The server refuses
   * the repetition for any other person. `as` is null when nobody was signed in.
   */
  | { readonly kind: 'signed-out'; readonly as: string | null; readonly values: FormValues }

/**
 * An action has no answer for one of these reasons. `older-page`: the page is from before an upgrade, and nothing was done.
 * `no-answer`: the request may have arrived or not. `server-error`: the server answered with an error, so the connection
 * works.
 */
export type Unanswered = 'older-page' | 'no-answer' | 'server-error'

/** The values are the input by field. A field that occurs more than once has a list. */
export type FormValues = Record<string, string | string[]>

/** Every form begins in this state. */
export const idle = { kind: 'idle' } as const

/** A repeated form names in this field the person who first sent it. */
export const repeatAs = 'repeatAs'

/** An action is for forms and for code: `useActionState(create, idle)`, or `await issueChallenge({ address, chainId })`. */
export interface Action<T> {
  (previous: ActionState<T>, form: FormData): Promise<ActionState<T>>
  (input: Record<string, unknown>): Promise<ActionState<T>>
}
