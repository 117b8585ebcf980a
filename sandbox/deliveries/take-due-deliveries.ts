import type { Sandbox } from '../state/sandbox.ts'

export interface DueDelivery {
  id: string
  attempts: number
  body: string
  url: string
  secret: string
}

/**
 * Takes the due deliveries of an endpoint, oldest first, with its present url and secret. If the endpoint is
 * not active, they are stopped. ASSUMED: a stopped delivery stays stopped when the endpoint is enabled again.
 */
export async function takeDueDeliveries(
  { pool, clock }: Pick<Sandbox, 'pool' | 'clock'>,
  endpointUuid: string,
  except: string[],
  limit: number,
): Promise<DueDelivery[]> {
  const now = clock.now()
  const { rows } = await pool.query<DueDelivery & { status: string }>(
    `select d.id, d.attempts, e.body, w.url, w.signing_secret as secret, w.status
     from webhook_endpoint w join delivery d on d.endpoint_uuid = w.uuid join event e on e.id = d.event_id
     where d.endpoint_uuid = $1 and d.state = 'waiting' and d.due_at <= $2 and d.id <> all ($3)
     order by d.due_at, d.id limit $4`,
    [endpointUuid, now, except, limit],
  )
  if (rows.every((row) => row.status === 'active')) return rows
  await pool.query(
    `update delivery set state = 'stopped'
     where endpoint_uuid = $1 and state = 'waiting' and due_at <= $2 and id <> all ($3)`,
    [endpointUuid, now, except],
  )
  return []
}
