import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { TimeOff } from '#lib/deliveries/rules/endpoint-states.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { EndpointView } from '../endpoint-view.ts'
import { countMatchingDeliveries } from './new-replay.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'
import { findReplay, type ReplayView } from './replays.ts'
import { selectDeliveries } from './select-deliveries.ts'

/** An endpoint elsewhere was not sent these events while it was off. They arrived here meanwhile. */
export interface Missed {
  /** The filter is as an address of the page has it. */
  readonly filter: Readonly<Record<string, string>>
  /** `count` counts events, and stops at the maximum of one replay. */
  readonly count: number
  readonly tooMany: boolean
  /** Replays to its address have sent this many of them since; null when no replay was about any of them. */
  readonly sent: SentSince | null
}

export interface SentSince {
  /** The address accepted this many events. */
  readonly count: number
  /** This is the newest of these replays. */
  readonly replay: Pick<ReplayView, 'id' | 'state' | 'failed'>
}

/** The filter matches the first delivery of each event that the endpoint is subscribed to. Throws `NotAllowed`. */
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
     ), missed AS MATERIALIZED (
       SELECT d.id FROM ${missed.from} WHERE d.id = ANY(ARRAY(SELECT delivery_id FROM tried)) AND ${missed.where}
     )
     SELECT max(replay_id::text) AS "replayId", (count(DISTINCT tried.delivery_id) FILTER (WHERE taken))::int AS count
     FROM tried JOIN missed ON missed.id = delivery_id`,
    [...missed.values, address, from],
  )
  const [{ replayId, count } = { replayId: null, count: 0 }] = rows
  const replay = replayId && (await findReplay(caller, replayId))
  return replay ? { count, replay } : null
}
