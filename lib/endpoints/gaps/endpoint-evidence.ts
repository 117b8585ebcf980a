import 'server-only'
import type pg from 'pg'
import { readStatusChanges } from '#lib/deliveries/receivers/status-changes.ts'
import { receiverIdOf } from '#lib/platform/addresses/public-address.ts'
import { jsonParameter } from '#lib/platform/db/statements.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { nameOf } from '../endpoint-states.ts'
import { disabledPeriods } from '../rules/gap-periods.ts'
import type { GapInterval } from '../rules/gaps.ts'
import type { Evidence } from './record-evidence.ts'

/** `EndpointHere` points at this dashboard. */
export interface EndpointHere extends WebhookEndpoint {
  readonly receiverId: string
}

export interface EndpointEvidence {
  readonly disabled: readonly Evidence[]
  readonly 'auto-disabled': readonly Evidence[]
  /** The service sends to these endpoints. */
  readonly active: readonly EndpointHere[]
}

/**
 * Endpoints here that are not active get nothing (§6). Each period starts when the endpoint was disabled here, or
 * when it was last known to be active. Short periods are known only from our own changes. A list that was asked for
 * (`askedAt`) before a change made here ended a gap says nothing about that gap.
 */
export async function endpointEvidence(
  client: pg.PoolClient,
  endpoints: readonly WebhookEndpoint[],
  { askedAt, now }: { readonly askedAt: number; readonly now: number },
): Promise<EndpointEvidence> {
  const here = endpoints.flatMap((endpoint) => {
    const receiverId = receiverIdOf(endpoint.url)
    return receiverId === null ? [] : [{ ...endpoint, uuid: endpoint.uuid.toLowerCase(), receiverId }]
  })
  const off = await readTimesOff(client, here, now)
  const activeAt = await recordWatched(client, here, off, now)
  const ended = await readEndedSince(client, askedAt)
  const lasting = here
    .filter(({ uuid, status }) => status !== 'active' && !ended.has(uuid))
    .map(({ uuid, status }) => ({
      status,
      about: uuid,
      began: activeAt.get(uuid) ?? now,
      ended: null,
      note:
        status === 'disabled' || status === 'auto_disabled'
          ? null
          : `Its status at the provider: “${status}”.`,
    }))
  return {
    disabled: [...shortPeriods(off), ...lasting.filter(({ status }) => status !== 'auto_disabled')],
    'auto-disabled': lasting.filter(({ status }) => status === 'auto_disabled'),
    active: here.filter(({ status }) => status === 'active'),
  }
}

async function readEndedSince(client: pg.PoolClient, askedAt: number): Promise<Set<string>> {
  const { rows } = await client.query<{ about: string }>(
    `SELECT about FROM gap WHERE kind IN ('disabled', 'auto-disabled') AND ended_at >= $1`,
    [new Date(askedAt)],
  )
  return new Set(rows.map(({ about }) => about))
}

/** A round misses such a short period. For longer ones the service's list shows when they ended. */
const shortPeriods = (off: ReadonlyMap<string, GapInterval[]>): Evidence[] =>
  [...off].flatMap(([about, times]) =>
    times
      .filter(({ began, ended }) => ended !== null && ended - began <= missedByRoundsMs)
      .map((interval) => ({ ...interval, about, note: 'It was disabled and made active again here.' })),
  )

async function recordWatched(
  client: pg.PoolClient,
  here: readonly EndpointHere[],
  off: ReadonlyMap<string, GapInterval[]>,
  now: number,
): Promise<Map<string, number>> {
  const activeUntil = (uuid: string) => off.get(uuid)?.find(({ ended }) => ended === null)?.began
  const rows = here.map(({ uuid, receiverId, description, url, status, subscribedEvents }) => ({
    endpoint_uuid: uuid,
    receiver_id: receiverId,
    name: nameOf({ description, url }),
    status,
    last_active_at: at(status === 'active' ? now : activeUntil(uuid)),
    events: subscribedEvents?.toSorted() ?? ['*'],
  }))
  const { rows: kept } = await client.query<{ endpoint_uuid: string; last_active_at: Date | null }>(
    UPSERT_WATCHED,
    [jsonParameter(rows), new Date(now)],
  )
  return new Map(
    kept.flatMap(({ endpoint_uuid, last_active_at }) =>
      last_active_at ? [[endpoint_uuid, last_active_at.getTime()]] : [],
    ),
  )
}

const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms))

/**
 * `last_active_at` is the latest known time: seen active now or earlier, active until disabled here, or a delivery
 * from it.
 */
const UPSERT_WATCHED = `
  INSERT INTO watched_endpoint AS known (endpoint_uuid, receiver_id, name, status, last_active_at, events)
  SELECT seen.endpoint_uuid, seen.receiver_id, seen.name, seen.status,
         COALESCE(seen.last_active_at, (SELECT last_delivery_at FROM receiver WHERE id = seen.receiver_id)), seen.events
  FROM json_to_recordset($1::json)
       AS seen (endpoint_uuid uuid, receiver_id uuid, name text, status text, last_active_at timestamptz, events text[])
  ON CONFLICT (endpoint_uuid) DO UPDATE SET
    receiver_id = EXCLUDED.receiver_id, name = EXCLUDED.name, status = EXCLUDED.status,
    last_active_at = GREATEST(known.last_active_at, EXCLUDED.last_active_at), events = EXCLUDED.events,
    events_changed_at = CASE WHEN known.events <> EXCLUDED.events THEN $2 ELSE known.events_changed_at END
  RETURNING endpoint_uuid, last_active_at`

/** ASSUMED, in ms: a shorter period may lie between two rounds. */
const missedByRoundsMs = 5 * 60_000

/** Changes made here are read this far back, in ms: further than any pause between two rounds should be. */
const lookBackMs = 24 * 3_600_000

async function readTimesOff(
  client: pg.PoolClient,
  here: readonly EndpointHere[],
  now: number,
): Promise<Map<string, GapInterval[]>> {
  const uuids = here.map(({ uuid }) => uuid)
  const changes = await readStatusChanges(client, uuids, new Date(now - lookBackMs))
  return new Map([...changes].map(([uuid, ofOne]) => [uuid, disabledPeriods(ofOne)]))
}

/** The endpoints of these receivers were active when they were last seen, at `seenAt` (ISO 8601). */
export async function readLastActive(
  client: pg.PoolClient,
  seenAt: string | null,
): Promise<Pick<EndpointHere, 'receiverId'>[]> {
  const { rows } = await client.query<{ receiverId: string }>(
    `SELECT DISTINCT receiver_id AS "receiverId" FROM watched_endpoint
     WHERE status = 'active' AND last_active_at >= $1`,
    [seenAt],
  )
  return rows
}
