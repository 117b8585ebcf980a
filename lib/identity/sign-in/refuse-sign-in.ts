import 'server-only'
import type { RequestContext } from '#lib/access/request-context.ts'
import type { SignInMethod } from '../rules/sign-in-method.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { countDenied } from '../sessions/count-denied.ts'
import { recordRefusal } from '../sessions/record-refusal.ts'
import type { SignInOutcome } from './complete-sign-in.ts'

/** Anybody can cause these any number of times; where nobody of ours is meant they tell of nobody. */
const onlyCounted: ReadonlySet<SignInRefusal> = new Set(['too-many', 'sso-unknown'])

/** Writes the refusal down, and answers it. `target`: a user or a member; null when nobody of ours is meant. */
export async function refuseSignIn(
  why: SignInRefusal,
  method: SignInMethod,
  target: string | null,
  context: RequestContext,
): Promise<SignInOutcome> {
  const place = `sign-in by ${method}: ${why}`
  const refusal = { action: 'session.start', details: { method, why } } as const
  if (target === null && onlyCounted.has(why)) await countDenied(null, place)
  else await recordRefusal({ ...refusal, ...(target === null ? {} : { target }) }, place, context)
  return { kind: 'refused', why }
}
