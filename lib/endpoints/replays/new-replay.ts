import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { TimeOff } from '#lib/deliveries/rules/endpoint-states.ts'
import { findUserByEmail } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { type EndpointView, listEndpoints } from '../endpoints.ts'
import { filterEntries, type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
import { maxDeliveries, rowByRow, selectDeliveries, selectForReplay } from './replay-store.ts'
import { findReplay, type ReplayView } from './replays.ts'

/** The filter is as the address of the page has it. */
type GivenFilter = Readonly<Record<string, string>>

/** A repeated parameter counts with its first value. */
export function givenFilter(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): GivenFilter {
  const given: Record<string, string> = {}
  for (const key of ReplayFilterSchema.keyof().options) {
    const value = [parameters[key]].flat()[0]
    if (value) given[key] = value
  }
  return given
}

/** `ReadFilter` holds the filter as read, and a message for each part that could not be read. */
interface ReadFilter {
  /** The filter is empty when any part could not be read: the rest would match more than was asked for. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string>>
}

/** A user may be given by the e-mail address in the directory. Throws `NotAllowed`. */
export async function readReplayFilter(caller: Caller, given: GivenFilter): Promise<ReadFilter> {
  requirePermission(caller, 'replay-deliveries')
  const { data: filter, error } = ReplayFilterSchema.safeParse(given)
  if (error) {
    const byField = Map.groupBy(error.issues, ({ path }) => String(path[0]))
    const errors = [...byField].map(([field, issues]) => [field, issues[0]?.message])
    return { filter: {}, errors: Object.fromEntries(errors) }
  }
  if (!filter.user?.includes('@')) return { filter, errors: {} }
  const person = await findUserByEmail(cleanText(filter.user))
  if (!person) return { filter: {}, errors: { user: 'The directory knows nobody by this e-mail.' } }
  return { filter: { ...filter, user: person.userUuid }, errors: {} }
}

/** The filter matches this many deliveries, received between `first` and `last` (ISO 8601). */
export interface MatchingDeliveries {
  readonly count: number
  /** More deliveries match than one replay may have; `count` is then the maximum. */
  readonly tooMany: boolean
  readonly first: string | null
  readonly last: string | null
}

/** The count is null when the filter chooses nothing: it is empty, or has `once` alone. Throws `NotAllowed`. */
export async function countMatchingDeliveries(
  caller: Caller,
  filter: ReplayFilter,
): Promise<MatchingDeliveries | null> {
  requirePermission(caller, 'replay-deliveries')
  if (filterEntries(filter).every(([part]) => part === 'once')) return null
  const { text, values } = selectForReplay(filter)
  const { rows } = await inTransaction(pool(), async (client) => {
    await client.query(rowByRow)
    return client.query<{ count: number; first: Date | null; last: Date | null }>(
      `SELECT count(*)::int AS count, min(received_at) AS first, max(received_at) AS last
       FROM (${text}) AS chosen`,
      [...values],
    )
  })
  const { count = 0, first = null, last = null } = rows[0] ?? {}
  return {
    count: Math.min(count, maxDeliveries),
    tooMany: count > maxDeliveries,
    first: first?.toISOString() ?? null,
    last: last?.toISOString() ?? null,
  }
}

/** Deliveries came through this endpoint, even if it is gone by now. */
export interface Source {
  /** The service gave the endpoint this uuid. */
  readonly uuid: string
  /**
   * The name is the description, or else the url; null when the service does not know the endpoint, or does not
   * answer.
   */
  readonly name: string | null
}

/** Endpoints come newest first. Throws `NotAllowed`. */
export async function listSources(caller: Caller): Promise<Source[]> {
  requirePermission(caller, 'replay-deliveries')
  const [{ rows }, endpoints] = await Promise.all([
    pool().query<{ uuid: string }>(
      'SELECT endpoint_uuid AS uuid FROM receiver GROUP BY endpoint_uuid HAVING endpoint_uuid IS NOT NULL ORDER BY max(created_at) DESC',
    ),
    listEndpoints(caller).catch(onRefusal(Refused, () => [])),
  ])
  const names = new Map(
    endpoints.map(({ uuid, description, url }) => [uuid.toLowerCase(), description || url]),
  )
  return rows.map(({ uuid }) => ({ uuid, name: names.get(uuid) ?? null }))
}

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
    first: 'yes',
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
