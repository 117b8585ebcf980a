import type { Sandbox } from '../state/sandbox.ts'

export interface DueDelivery {
  readonly id: string
  readonly attempts: number
  readonly body: string
  readonly url: string
  readonly secret: string
}

/**
 * Due deliveries of an endpoint are taken oldest first, with its present url and secret. They are stopped if the endpoint is
 * not active. ASSUMED: a stopped delivery stays stopped when the endpoint is enabled again.
 */
export async function takeDueDeliveries(
  { pool, clock }: Pick<Sandbox, 'pool' | 'clock'>,
  endpointUuid: string,
  except: string[],
  limit: number,
): Promise<DueDelivery[]> {
  const now = clock.now()
  const { rows } = await pool.query<DueDelivery & { status: string }>(
    `SELECT d.id, d.attempts, e.body, w.url, w.signing_secret AS secret, w.status
     FROM webhook_endpoint w JOIN delivery d ON d.endpoint_uuid = w.uuid JOIN event e ON e.id = d.event_id
     WHERE d.endpoint_uuid = $1 AND d.state = 'waiting' AND d.due_at <= $2 AND d.id <> ALL ($3)
     ORDER BY d.due_at, d.number LIMIT $4`,
    [endpointUuid, now, except, limit],
  )
  if (rows.every((row) => row.status === 'active')) return rows
  await pool.query(
    `UPDATE delivery SET state = 'stopped'
     WHERE endpoint_uuid = $1 AND state = 'waiting' AND due_at <= $2 AND id <> ALL ($3)`,
    [endpointUuid, now, except],
  )
  return []
}
