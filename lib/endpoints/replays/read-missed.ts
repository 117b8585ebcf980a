import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { TimeOff } from '#lib/deliveries/rules/endpoint-states.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { EndpointView } from '../endpoint-view.ts'
import { countMatchingDeliveries } from './new-replay.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'
import { findReplay, type ReplayView } from './replays.ts'
import { selectDeliveries } from './select-deliveries.ts'

/** What an endpoint elsewhere was not sent while it was off, as far as it arrived here meanwhile. */
export interface Missed {
  /** As an address says it. */
  readonly filter: Readonly<Record<string, string>>
  /** Events; at most as many as one replay sends. */
  readonly count: number
  readonly tooMany: boolean
  /** What replays to its address have sent of it since; null when none was about any of it. */
  readonly sent: SentSince | null
}

export interface SentSince {
  /** Events that its address took. */
  readonly count: number
  /** The latest of these replays. */
  readonly replay: Pick<ReplayView, 'id' | 'state' | 'failed'>
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
  const address = URL.parse(url)?.href ?? url
  const [matching, sent] = await Promise.all([
    countMatchingDeliveries(caller, filter),
    readSent(caller, filter, address, from),
  ])
  const { count = 0, tooMany = false } = matching ?? {}
  return { filter: Object.fromEntries(filterEntries(filter)), count, tooMany, sent }
}

async function readSent(
  caller: Caller,
  filter: ReplayFilter,
  address: string,
  from: string,
): Promise<SentSince | null> {
  const missed = selectDeliveries(filter)
  const next = missed.values.length + 1
  const { rows } = await pool().query<{ replayId: string | null; count: number }>(
    `WITH tried AS MATERIALIZED (
       SELECT replay_id, delivery_id, at IS NOT NULL AND error IS NULL AS taken
       FROM replay JOIN replay_delivery ON replay_id = replay.id
       WHERE address = $${next} AND started_at > $${next + 1}::timestamptz
     )
     SELECT max(replay_id::text) AS "replayId", (count(DISTINCT tried.delivery_id) FILTER (WHERE taken))::int AS count
     FROM tried CROSS JOIN LATERAL (
       SELECT FROM ${missed.from} WHERE d.id = tried.delivery_id AND ${missed.where} LIMIT 1
     ) AS missed`,
    [...missed.values, address, from],
  )
  const [{ replayId, count } = { replayId: null, count: 0 }] = rows
  const replay = replayId && (await findReplay(caller, replayId))
  return replay ? { count, replay } : null
}
