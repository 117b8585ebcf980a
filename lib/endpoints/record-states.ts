import 'server-only'
import type pg from 'pg'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'

/** An endpoint that is seen in a state for the first time since another one. */
export interface ChangedState {
  readonly uuid: string
  readonly status: string
  readonly name: string | null
}

/**
 * Records in which state each endpoint is seen, wherever it delivers: the service's list says how it is now, and no time.
 * Answers those whose state is another than at the last look, or that were never seen before.
 * @param now ms since 1970
 */
export async function recordStates(
  client: pg.ClientBase,
  endpoints: readonly Pick<WebhookEndpoint, 'uuid' | 'status' | 'description' | 'url'>[],
  now: number,
): Promise<ChangedState[]> {
  const { rows } = await client.query<ChangedState>(RECORD, [
    JSON.stringify(
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

/** Records the state that a change made here gave an endpoint, if it was seen in another one before. */
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

/** Its description, or its host: the path of an address here is secret. */
const nameOf = ({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string | null =>
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
