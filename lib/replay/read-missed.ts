import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { countMatchingDeliveries } from './count-matching-deliveries.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'

/** What an endpoint elsewhere was not sent while it was off, as far as it arrived here meanwhile. */
export interface Missed {
  /** As an address says it. */
  readonly filter: Readonly<Record<string, string>>
  /** Events; at most as many as one replay sends. */
  readonly count: number
  readonly tooMany: boolean
  /** A replay to its address that began since; null when there is none. */
  readonly sentIn: string | null
}

/** A time in which an endpoint got nothing; ISO 8601, `until` null while it lasts. */
export interface TimeOff {
  readonly from: string
  readonly until: string | null
}

/** Of each event that it is subscribed to, the first delivery. Throws `NotAllowed`. */
export async function readMissed(
  caller: Caller,
  { url, subscribedEvents }: Pick<EndpointView, 'url' | 'subscribedEvents'>,
  { from, until }: TimeOff,
): Promise<Missed> {
  requirePermission(caller, 'replay-deliveries')
  const filter: ReplayFilter = {
    from,
    ...(until === null ? {} : { to: until }),
    ...(subscribedEvents === null ? {} : { type: subscribedEvents.join(',') }),
    once: 'yes',
  }
  const [matching, sent] = await Promise.all([
    countMatchingDeliveries(caller, filter),
    pool().query<{ id: string }>(SENT, [URL.parse(url)?.href ?? url, until ?? from]),
  ])
  const { count = 0, tooMany = false } = matching ?? {}
  return {
    filter: Object.fromEntries(filterEntries(filter)),
    count,
    tooMany,
    sentIn: sent.rows[0]?.id ?? null,
  }
}

/** There are few replays. */
const SENT = `
  SELECT id FROM replay WHERE address = $1 AND started_at > $2 AND filter ->> 'once' = 'yes' ORDER BY started_at DESC LIMIT 1`
