import 'server-only'
import type pg from 'pg'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { recordReceivingOf } from '#lib/deliveries/receivers/receiver-store.ts'
import { receiverIdOf } from '#lib/platform/addresses/public-address.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { jsonParameter, planOnce } from '#lib/platform/db/statements.ts'
import { logOf } from '#lib/platform/log.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { elsewhereOutages, recordOutages } from './gaps/outages.ts'

const log = logOf('endpoints')

/** An endpoint was in one state during this time. The watcher sees it about once a minute. Times are ISO 8601. */
export interface SeenState {
  readonly status: string
  /**
   * The endpoint was last seen in the state before at this time, so it changed later; null when it was never seen
   * before.
   */
  readonly after: string | null
  /** The endpoint was first seen in this state at this time, so it changed by then. */
  readonly by: string
  /** The endpoint was first seen in the next state at this time; null while this state lasts. */
  readonly until: string | null
}

/** The states of an endpoint come newest first, at most `most`. Throws `NotAllowed`. */
export async function listStates(caller: Caller, endpointUuid: string, most = 20): Promise<SeenState[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { rows } = await pool().query<StateRow>({ ...LIST, values: [endpointUuid, most] })
  return rows.map(({ status, after, by, until }) => ({
    status,
    after: after?.toISOString() ?? null,
    by: by.toISOString(),
    until: until?.toISOString() ?? null,
  }))
}

interface StateRow {
  readonly status: string
  readonly after: Date | null
  readonly by: Date
  readonly until: Date | null
}

const LIST = planOnce(`
  SELECT status, lag(seen_until) OVER in_order AS after, seen_from AS by, lead(seen_from) OVER in_order AS until
  FROM endpoint_state WHERE endpoint_uuid = $1::uuid
  WINDOW in_order AS (ORDER BY seen_from) ORDER BY seen_from DESC LIMIT $2`)

/** The endpoint was last seen in this state. */
export interface LastSeenState extends Pick<SeenState, 'status' | 'after' | 'by'> {
  readonly lastSeenAt: string
}

/** The map has the last seen state of each of these endpoints, by its uuid. */
export async function readStatesSince(endpointUuids: readonly string[]): Promise<Map<string, LastSeenState>> {
  const { rows } = await pool().query<LastSeenRow>({ ...SINCE, values: [endpointUuids] })
  return new Map(
    rows.map(({ endpoint_uuid, status, after, by, last_seen_at }) => [
      endpoint_uuid,
      {
        status,
        after: after?.toISOString() ?? null,
        by: by.toISOString(),
        lastSeenAt: last_seen_at.toISOString(),
      },
    ]),
  )
}

interface LastSeenRow extends Omit<StateRow, 'until'> {
  readonly endpoint_uuid: string
  readonly last_seen_at: Date
}

const SINCE = planOnce(`
  SELECT wanted.endpoint_uuid, latest.status, latest.seen_from AS by, latest.seen_until AS last_seen_at,
    earlier.seen_until AS after
  FROM unnest($1::uuid[]) AS wanted (endpoint_uuid)
  CROSS JOIN LATERAL (
    SELECT status, seen_from, seen_until FROM endpoint_state AS state
    WHERE state.endpoint_uuid = wanted.endpoint_uuid ORDER BY seen_from DESC LIMIT 1
  ) AS latest
  LEFT JOIN LATERAL (
    SELECT seen_until FROM endpoint_state AS state
    WHERE state.endpoint_uuid = wanted.endpoint_uuid AND state.seen_from < latest.seen_from
    ORDER BY seen_from DESC LIMIT 1
  ) AS earlier ON true`)

/** The endpoint was seen in this state for the first time since it was in another. */
interface ChangedState {
  readonly uuid: string
  readonly status: string
  readonly name: string | null
}

/**
 * The state of each endpoint is recorded, also of endpoints elsewhere: the service's list says how each is now,
 * without a time. The result has the endpoints whose state changed, or that are new. `now` is in ms since 1970.
 */
export async function recordStates(
  client: pg.ClientBase,
  endpoints: readonly Pick<WebhookEndpoint, 'uuid' | 'status' | 'description' | 'url'>[],
  now: number,
): Promise<ChangedState[]> {
  const { rows } = await client.query<ChangedState>(RECORD, [
    jsonParameter(
      endpoints.map((endpoint) => ({
        endpoint_uuid: endpoint.uuid.toLowerCase(),
        status: endpoint.status,
        name: nameOf(endpoint),
      })),
    ),
    new Date(now),
  ])
  return rows
}

/** A change made here gave the endpoint this state; it is recorded if the endpoint was seen in another state before. */
export async function recordState(
  client: pg.ClientBase,
  endpointUuid: string,
  status: string,
): Promise<void> {
  await client.query(CHANGED, [endpointUuid, status])
}

const CHANGED = `
  INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status, name)
  SELECT endpoint_uuid, at, at, $2, name
  FROM (SELECT * FROM endpoint_state WHERE endpoint_uuid = $1 ORDER BY seen_from DESC LIMIT 1) AS latest,
    clock_timestamp() AS at
  WHERE status <> $2
  ON CONFLICT DO NOTHING`

/** The name is the description, or else the host: the path of an address here is secret. */
export const nameOf = ({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string | null =>
  description?.trim() || (URL.parse(url)?.host ?? null)

const RECORD = `
  WITH seen AS (
    SELECT DISTINCT ON (endpoint_uuid) * FROM json_to_recordset($1::json) AS listed (endpoint_uuid uuid, status text, name text)
  ), latest AS (
    SELECT endpoint_uuid, seen.status, seen.name, known.seen_from, known.status AS known_status
    FROM seen LEFT JOIN LATERAL (
      SELECT seen_from, status FROM endpoint_state AS state
      WHERE state.endpoint_uuid = seen.endpoint_uuid ORDER BY seen_from DESC LIMIT 1
    ) AS known ON true
  ), still AS (
    UPDATE endpoint_state AS state SET seen_until = GREATEST(state.seen_until, $2), name = latest.name FROM latest
    WHERE state.endpoint_uuid = latest.endpoint_uuid AND state.seen_from = latest.seen_from
      AND latest.known_status = latest.status
  )
  INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status, name)
  SELECT endpoint_uuid, $2, $2, status, name FROM latest WHERE known_status IS DISTINCT FROM status
  ON CONFLICT DO NOTHING
  RETURNING endpoint_uuid AS uuid, status, name`

/**
 * `recordEndpointChange` records what its receiver gets after a change made here, from the service's answer. Without it, the
 * watcher's next round records that; the round after the change also folds again what has to be.
 * @param asked when the request was sent (`performance.now()`): the change took effect between then and now
 */
export async function recordEndpointChange(changed: WebhookEndpoint | null, asked: number): Promise<void> {
  const receiverId = changed && receiverIdOf(changed.url)
  if (!changed || !receiverId) return
  const active = changed.status === 'active' ? [{ ...changed, receiverId }] : []
  await inTransaction(pool(), async (tx) => {
    const moved = await recordReceivingOf(tx, receiverId, active, performance.now() - asked)
    if (moved.length > 0) await recordOutages(tx, elsewhereOutages(moved, await readClock(tx)))
  }).catch((error: unknown) =>
    log.warn({ receiver: receiverId, err: error }, 'What a receiver gets now is left to the watcher to note'),
  )
}

/** A change of an endpoint is announced on this channel; the payload is the endpoint's uuid. */
export const endpointChannel = 'endpoint_changed'

/**
 * The watcher wakes, so that it sees short changes too. Call this after the commit, as with `wakeProjectors`. When
 * the announcement is lost, the watcher looks within a minute.
 */
export async function announceEndpointChanged(pool: pg.Pool, endpointUuid: string): Promise<void> {
  await pool.query('SELECT pg_notify($1, $2)', [endpointChannel, endpointUuid])
}
