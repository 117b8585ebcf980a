import 'server-only'
import { readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { endpointAbout, endpointOfAbout } from '../rules/endpoint-about.ts'
import { gapsOfEndpoints } from './list-gap-looks.ts'
import { type ListedLook, listLooks, most } from './list-looks.ts'
import type { EndpointLook } from './look-view.ts'

/** Endpoints that are not active, the longest first: those with an open gap that says so by its id, the others by their own. */
export async function listEndpointLooks(): Promise<ListedLook[]> {
  const seenAt = (await readServiceState())?.seenAt ?? null
  return listLooks(endpointLooks, [seenAt])
}

/** Those of `about` that are endpoints. */
export async function toEndpointLooks(found: readonly ListedLook[]): Promise<EndpointLook[]> {
  const uuids = found.flatMap(({ about }) => endpointOfAbout(about) ?? [])
  if (uuids.length === 0) return []
  const { rows } = await pool().query<EndpointLook['endpoint']>(NAMES, [uuids])
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  return found.flatMap(({ about, since }) => {
    const endpoint = byUuid.get(endpointOfAbout(about) ?? '')
    return endpoint ? [{ kind: 'endpoint', about, since: since.toISOString(), endpoint }] : []
  })
}

const about = `'${endpointAbout('')}' || latest.endpoint_uuid`

const latestState =
  'SELECT DISTINCT ON (endpoint_uuid) * FROM endpoint_state ORDER BY endpoint_uuid, seen_from DESC'

/** One by one: joined, all mutes would be read for the few endpoints that are off. */
const mutedUntil = `(SELECT max(covers_until) FROM overview_mute AS mute WHERE mute.kind = 'endpoint' AND mute.about = ${about})`

const NAMES = `
  SELECT endpoint_uuid AS uuid, name, status FROM (${latestState}) AS latest WHERE endpoint_uuid = ANY($1::uuid[])`

/**
 * Endpoints that are off and have no open gap that says so: those that the service switched off, wherever they deliver, and
 * those here of which the gap was closed while it lasts. One that the service did not list the last time has gone.
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
    AND (status = 'auto_disabled' OR status <> 'active' AND closed > 0) AND since > COALESCE(${mutedUntil}, '-infinity')
  ORDER BY since LIMIT ${most}`

/** `$1` is when the service last listed its endpoints. */
export const endpointLooks = `
  SELECT * FROM ((${gapsOfEndpoints}) UNION ALL (${OFF})) AS listed ORDER BY since LIMIT ${most}`
