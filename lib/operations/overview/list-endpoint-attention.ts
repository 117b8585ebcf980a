import 'server-only'
import { readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type AttentionKind, endpointAbout, endpointOfAbout } from '../rules/attention-kinds.ts'
import {
  countAttentionItems,
  type EndpointAttention,
  type ListedAttention,
  listAttentionItems,
  most,
  notSnoozed,
} from './attention-items.ts'

/** The list has open gaps from the oldest on, without those that last because an endpoint is not active. */
export const listGapAttentionItems = (): Promise<ListedAttention[]> => listAttentionItems(gapAttentionItems)

const isOff = `ended_at IS NULL AND kind IN ('disabled', 'auto-disabled')`

const open = (kind: AttentionKind, condition: string) => `
  SELECT id::text AS about, began_at AS since FROM gap
  WHERE outcome IS NULL AND ${condition} AND ${notSnoozed('id::text', 'began_at', kind)}
  ORDER BY began_at LIMIT ${most}`

const gapAttentionItems = open('gap', `NOT (${isOff})`)

/** An open gap that lasts because an endpoint is not active is listed with the endpoints. */
const gapsOfEndpoints = open('endpoint', isOff)

/**
 * The list has endpoints that are not active, those inactive for longest first. One with an open gap is named by the
 * gap's id, and any other by its own.
 */
export async function listEndpointAttentionItems(): Promise<ListedAttention[]> {
  const seenAt = (await readServiceState())?.seenAt ?? null
  return listAttentionItems(endpointAttentionItems, [seenAt])
}

/** Other ids than those of endpoints are left out. */
export async function toEndpointAttentionItems(
  found: readonly ListedAttention[],
): Promise<EndpointAttention[]> {
  const uuids = found.flatMap(({ about }) => endpointOfAbout(about) ?? [])
  if (uuids.length === 0) return []
  const { rows } = await pool().query<EndpointAttention['endpoint']>(NAMES, [uuids])
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  return found.flatMap(({ about, since }) => {
    const endpoint = byUuid.get(endpointOfAbout(about) ?? '')
    return endpoint ? [{ kind: 'endpoint', about, since: since.toISOString(), endpoint }] : []
  })
}

const about = `'${endpointAbout('')}' || latest.endpoint_uuid`

const latestState =
  'SELECT DISTINCT ON (endpoint_uuid) * FROM endpoint_state ORDER BY endpoint_uuid, seen_from DESC'

/** The subquery runs once for each endpoint. A join would read all snoozes for the few endpoints that are off. */
const snoozedUntil = `(SELECT max(covers_until) FROM overview_mute AS mute WHERE mute.kind = 'endpoint' AND mute.about = ${about})`

const NAMES = `
  SELECT endpoint_uuid AS uuid, name, status FROM (${latestState}) AS latest WHERE endpoint_uuid = ANY($1::uuid[])`

/**
 * The query finds endpoints that are off and have no open gap for it: those that the service disabled, wherever they
 * deliver, and those here whose gap was closed while it lasts. An endpoint missing from the service's last list was
 * deleted.
 */
const OFF = `
  SELECT ${about} AS about, since FROM (${latestState}) AS latest
  CROSS JOIN LATERAL (
    SELECT COALESCE(max(seen_until), latest.seen_from) AS since FROM endpoint_state AS before
    WHERE before.endpoint_uuid = latest.endpoint_uuid AND before.seen_from < latest.seen_from
  ) AS began
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE outcome IS NULL) AS open, count(*) FILTER (WHERE outcome IS NOT NULL) AS closed FROM gap
    WHERE about = latest.endpoint_uuid::text AND ended_at IS NULL AND kind IN ('disabled', 'auto-disabled')
  ) AS gaps
  WHERE seen_until >= $1::timestamptz AND open = 0
    AND (status = 'auto_disabled' OR status <> 'active' AND closed > 0) AND since > COALESCE(${snoozedUntil}, '-infinity')
  ORDER BY since LIMIT ${most}`

/** `$1` is the time at which the service last listed its endpoints. */
const endpointAttentionItems = `
  SELECT * FROM ((${gapsOfEndpoints}) UNION ALL (${OFF})) AS listed ORDER BY since LIMIT ${most}`

/**
 * `countEndpointAttentionItems` counts the gaps, and the gaps and endpoints, that need attention: those on the overview, without
 * snoozed ones. It checks no permission.
 * @param seenAt the time at which the service last listed its endpoints; null when it never did
 */
export async function countEndpointAttentionItems(
  seenAt: string | null,
): Promise<Readonly<Record<'gaps' | 'endpoints', number>>> {
  const [gaps, ofEndpoints, endpoints] = await Promise.all([
    countAttentionItems(gapAttentionItems),
    countAttentionItems(gapsOfEndpoints),
    countAttentionItems(endpointAttentionItems, [seenAt]),
  ])
  return { gaps: gaps + ofEndpoints, endpoints: gaps + endpoints }
}
