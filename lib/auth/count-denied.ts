import 'server-only'
import { countAudit } from '#lib/audit/count-audit.ts'
import type { Caller } from '#lib/request/caller.ts'

/**
 * Counts an attempt that was denied: the audit has a row for each minute, person and thing.
 * @param what a route, or an action's permission; never an id or a text, of which an attacker has any number
 */
export const countDenied = (caller: Caller, what: string): Promise<void> =>
  countAudit(caller, { action: 'access.denied', target: what, outcome: 'refused' })

/** `/transactions/…` for the address of any transaction: only its words that may be ours. */
export const routeOf = (path: string): string =>
  path
    .split('?', 1)
    .join('')
    .split('/')
    .slice(0, 6)
    .map((part) => (/^[a-z-]{0,24}$/.test(part) ? part : '…'))
    .join('/')
