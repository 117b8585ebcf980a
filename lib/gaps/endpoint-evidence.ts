import 'server-only'
import type pg from 'pg'
import { receiverOf } from '#lib/endpoints/own-address.ts'
import type { Endpoint } from '#lib/service/webhook-endpoints.ts'
import type { Evidence } from './record-evidence.ts'

export interface EndpointEvidence {
  readonly disabled: readonly Evidence[]
  readonly 'auto-disabled': readonly Evidence[]
  /** Whether the service sends to any endpoint that points here. */
  readonly anyActive: boolean
}

/**
 * Endpoints that point here and get nothing, since only active ones do (§6). Each began when it was last known to be
 * active: seen so by us, or by a delivery. What the service shows now is remembered for the next round.
 */
export async function endpointEvidence(
  client: pg.PoolClient,
  endpoints: readonly Endpoint[],
  now: number,
): Promise<EndpointEvidence> {
  const here = endpoints.flatMap((endpoint) => {
    const receiverId = receiverOf(endpoint.url)
    return receiverId === null ? [] : [{ ...endpoint, receiverId }]
  })
  const activeAt = await remember(client, here, now)
  const not = here.filter(({ status }) => status !== 'active')
  const evidence = not.map(({ uuid, status }) => ({
    status,
    about: uuid.toLowerCase(),
    began: activeAt.get(uuid.toLowerCase()) ?? now,
    ended: null,
    note: status === 'disabled' || status === 'auto_disabled' ? null : `The service calls it “${status}”.`,
  }))
  return {
    disabled: evidence.filter(({ status }) => status !== 'auto_disabled'),
    'auto-disabled': evidence.filter(({ status }) => status === 'auto_disabled'),
    anyActive: not.length < here.length,
  }
}

async function remember(
  client: pg.PoolClient,
  here: readonly (Endpoint & { readonly receiverId: string })[],
  now: number,
): Promise<Map<string, number>> {
  const rows = here.map(({ uuid, receiverId, description, url, status }) => ({
    endpoint_uuid: uuid,
    receiver_id: receiverId,
    name: description?.trim() || url,
    status,
    active_at: status === 'active' ? new Date(now) : null,
  }))
  const { rows: kept } = await client.query<{ endpoint_uuid: string; active_at: Date | null }>(REMEMBER, [
    JSON.stringify(rows),
  ])
  return new Map(
    kept.flatMap(({ endpoint_uuid, active_at }) => (active_at ? [[endpoint_uuid, active_at.getTime()]] : [])),
  )
}

/** The latest that is known: seen active just now or earlier, or a delivery that it sent since. */
const REMEMBER = `
  INSERT INTO watched_endpoint AS known (endpoint_uuid, receiver_id, name, status, active_at)
  SELECT seen.endpoint_uuid, seen.receiver_id, seen.name, seen.status,
         COALESCE(seen.active_at, (SELECT last_delivery_at FROM receiver WHERE id = seen.receiver_id))
  FROM json_to_recordset($1::json)
       AS seen (endpoint_uuid uuid, receiver_id uuid, name text, status text, active_at timestamptz)
  ON CONFLICT (endpoint_uuid) DO UPDATE SET
    receiver_id = EXCLUDED.receiver_id, name = EXCLUDED.name, status = EXCLUDED.status,
    active_at = GREATEST(known.active_at, EXCLUDED.active_at)
  RETURNING endpoint_uuid, active_at`
