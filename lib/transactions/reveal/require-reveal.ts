import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { requireWithinLimit } from '#lib/platform/limits/require-within-limit.ts'
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
