import 'server-only'
import type { z } from 'zod'
import type { Action } from '#lib/domain/action-state.ts'
import type { Permission } from '#lib/domain/roles.ts'
import type { Caller } from './caller.ts'
import { Refused } from './refusals.ts'
import type { RequestContext } from './request-context.ts'
import { requirePermission } from './require-permission.ts'
import { requireSession } from './require-session.ts'

/** In an action the browser always has an id: it is given one. */
export type ActionContext = RequestContext & { readonly browserId: string }

/**
 * Wraps every server action: who is calling, what the role may do, where the call came from, the input's shape.
 * `perform` answers the value, or throws `Refused` or `Invalid`.
 */
export function action<S extends z.ZodType, T>(
  schema: S,
  who: 'anyone',
  perform: (caller: Caller | null, form: z.output<S>, context: ActionContext) => Promise<T>,
): Action<T>
export function action<S extends z.ZodType, T>(
  schema: S,
  who: Permission | 'signed-in',
  perform: (caller: Caller, form: z.output<S>, context: ActionContext) => Promise<T>,
): Action<T>
export function action(): never {
  throw new Refused({ title: '', next: '' })
}
