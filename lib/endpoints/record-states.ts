import 'server-only'
import type pg from 'pg'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'

/**
 * Records in which state each endpoint is seen, wherever it delivers: the service's list says how it is now, and no time.
 * @param now ms since 1970
 */
export async function recordStates(
  client: pg.ClientBase,
  endpoints: readonly Pick<WebhookEndpoint, 'uuid' | 'status'>[],
  now: number,
): Promise<void> {
  await client.query(RECORD, [
    JSON.stringify(endpoints.map(({ uuid, status }) => ({ endpoint_uuid: uuid.toLowerCase(), status }))),
    new Date(now),
  ])
}

const RECORD = `
  WITH seen AS (
    SELECT DISTINCT ON (endpoint_uuid) * FROM json_to_recordset($1::json) AS listed (endpoint_uuid uuid, status text)
  ), latest AS (
    SELECT endpoint_uuid, seen.status, known.seen_from, known.status AS known_status
    FROM seen LEFT JOIN LATERAL (
      SELECT seen_from, status FROM endpoint_state AS state
      WHERE state.endpoint_uuid = seen.endpoint_uuid ORDER BY seen_from DESC LIMIT 1
    ) AS known ON true
  ), still AS (
    UPDATE endpoint_state AS state SET seen_until = GREATEST(state.seen_until, $2) FROM latest
    WHERE state.endpoint_uuid = latest.endpoint_uuid AND state.seen_from = latest.seen_from
      AND latest.known_status = latest.status
  )
  INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status)
  SELECT endpoint_uuid, $2, $2, status FROM latest WHERE known_status IS DISTINCT FROM status
  ON CONFLICT DO NOTHING`
