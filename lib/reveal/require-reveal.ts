import 'server-only'
import { requireWithinLimit } from '#lib/limits/require-within-limit.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requireFreshSignIn } from '#lib/request/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { requireReason } from './reveal-reason.ts'

/**
 * What it takes to have a masked field shown whole. Throws `NotAllowed`, `SignInAgain`, `InvalidInput`, `TooMany`.
 * @returns the reason
 */
export async function requireReveal(caller: Caller, given: string): Promise<string> {
  requirePermission(caller, 'reveal-personal-data')
  requireFreshSignIn(caller)
  const reason = await requireReason(given)
  await requireWithinLimit('reveal-per-person', caller.id)
  return reason
}
