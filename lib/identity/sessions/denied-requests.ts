import 'server-only'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import { countAudit } from '#lib/audit/counted-entries.ts'
import { type AuditEntry, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'

/**
 * A denied attempt is counted: the audit has one row for each minute, person and thing. `caller` is null for
 * somebody who is not signed in. `what` is a route, or an action's permission; never an id or a text, because
 * an attacker can make any number of them.
 */
export async function countDenied(caller: Caller | null, what: string): Promise<void> {
  if (caller) return countAudit(caller, denied(what))
  const database = pool()
  const counts = strangers.get(database) ?? beginToCount(database)
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

/**
 * These denied attempts of strangers are not written yet. They are written once a second, so that a flood costs
 * a few rows a minute and no connections to the database.
 */
const strangers = new WeakMap<object, Map<string, number>>()

const collectMs = 1000

function beginToCount(database: ReturnType<typeof pool>): Map<string, number> {
  const counts = new Map<string, number>()
  strangers.set(database, counts)
  setTimeout(() => void writeDenied(database), collectMs).unref()
  return counts
}

/** The counts are written once a second, and before a pool ends. */
export async function writeDenied(database = pool()): Promise<void> {
  const counts = strangers.get(database) ?? new Map<string, number>()
  strangers.delete(database)
  await Promise.all(
    [...counts].map(([what, times]) =>
      countAudit(null, denied(what), times, database).catch(
        noting(logOf('auth'))('warn', 'What was denied to strangers was not counted'),
      ),
    ),
  )
}

const denied = (what: string) => ({ action: 'access.denied', target: what, outcome: 'refused' }) as const

/** The reason names the place, which is our own text and not the requested address. */
const anotherOrigin = (place: string) => `another origin: ${place}`

/** Any request below `/api/users` gives `/api/users`, so there are only as many places as folders with routes. */
export const routeFolderOf = (path: string): string => routeOf(path.split('/').slice(0, 3).join('/'))

/** Our routes use these words after their first part; any other text there was chosen by the sender. */
export const deeperRoutes: readonly string[] = [
  '/account/sign-ins',
  '/account/transactions',
  '/alerts/mine',
  '/endpoints/new',
  '/replays/new',
  '/settings/alerts',
  '/settings/words',
  '/users/import',
  '/users/new',
  '/api/alerts/export',
  '/api/audit/export',
  '/api/replays/…/results',
  '/api/standings/export',
  '/api/transactions/export',
  '/api/transactions/rows',
  '/api/users/import',
  '/api/users/…/export',
]

/** The address of any transaction gives `/transactions/…`, so there are only as many places as routes. */
export const routeOf = (path: string): string => {
  const [whole = ''] = path.split('?', 1)
  const [, first = '', ...others] = whole.split('/', 6)
  return others.reduce((route, part, at) => {
    const named = `${route}/${part}`
    const isOurs = (first === 'api' && at === 0) || deeperRoutes.includes(named)
    return isOurs ? named : `${route}/…`
  }, `/${first}`)
}

/** A request that came from another site is counted and answered here; null for a request of our own pages. */
export async function refuseOtherOrigin(request: Request, place: string): Promise<Response | null> {
  const refusal = refusalOfOrigin(request.headers)
  if (refusal === null) return null
  await countDenied(null, anotherOrigin(place))
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  const { title, next } = wordRefusal('en', refusal)
  return new Response(`${title} ${next}`, { status: 403, headers })
}

type Refusal = Pick<AuditEntry, 'action' | 'target' | 'details'> & { readonly outcome?: 'refused' | 'unsure' }

/**
 * A refusal of an unknown sender is recorded: each has an entry while there are few, per address and in total; beyond that
 * only their number in a minute. Attempts on one of our users have their own share. `place` is as in `countDenied`.
 */
export async function recordRefusal(
  { outcome = 'refused', ...refusal }: Refusal,
  place: string,
  source: CallSource,
): Promise<void> {
  const share = refusal.target === undefined ? 'of nobody' : 'of somebody'
  const isFew =
    (await consumeLimit('refusals-per-ip', source.ip)) === 0 && (await consumeLimit('refusals', share)) === 0
  if (isFew) await recordAuditAlone({ actor: null, outcome, ...refusal }, source)
  else await countDenied(null, place)
}
