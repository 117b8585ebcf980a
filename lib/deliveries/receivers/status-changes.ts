import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import type { StatusChange, StatusOutcome } from '#lib/endpoints/rules/gap-periods.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'

/**
 * `askStatus` records the status that is asked for an endpoint, before the service is asked. It returns the id of the
 * record.
 */
export async function askStatus(
  tx: Transaction,
  endpointUuid: string,
  status: 'active' | 'disabled',
): Promise<string> {
  const id = uuidv7()
  await tx.query('INSERT INTO endpoint_status_change (id, endpoint_uuid, status) VALUES ($1, $2, $3)', [
    id,
    endpointUuid,
    status,
  ])
  return id
}

/** `settleStatus` records the outcome. A change that is never settled was interrupted. */
export async function settleStatus(tx: Transaction, id: string, outcome: StatusOutcome): Promise<void> {
  await tx.query(
    'UPDATE endpoint_status_change SET settled_at = clock_timestamp(), outcome = $2 WHERE id = $1',
    [id, outcome],
  )
}

/** The changes of these endpoints since then are in order, by the endpoint's uuid. */
export async function readStatusChanges(
  client: pg.PoolClient,
  endpointUuids: readonly string[],
  since: Date,
): Promise<Map<string, StatusChange[]>> {
  const { rows } = await client.query<StatusChangeRow>(CHANGES, [since, endpointUuids])
  const byEndpoint = Map.groupBy(rows, ({ endpoint_uuid }) => endpoint_uuid)
  return new Map([...byEndpoint].map(([uuid, changes]) => [uuid, changes.map(toChange)]))
}

/** The statuses that changes made here gave to endpoints since then, by uuid, correct a list that was requested before. */
export async function readStatusesGiven(client: pg.ClientBase, since: Date): Promise<Map<string, string>> {
  const { rows } = await client.query<{ endpoint_uuid: string; status: string }>(GIVEN, [since])
  return new Map(rows.map(({ endpoint_uuid, status }) => [endpoint_uuid, status]))
}

interface StatusChangeRow {
  readonly endpoint_uuid: string
  readonly status: string
  readonly asked_at: Date
  readonly settled_at: Date | null
  readonly outcome: StatusOutcome | null
}

const toChange = ({ status, asked_at, settled_at, outcome }: StatusChangeRow): StatusChange => ({
  status,
  askedAt: asked_at.getTime(),
  settled: settled_at && outcome && { outcome, at: settled_at.getTime() },
})

const CHANGES = `
  SELECT endpoint_uuid, status, asked_at, settled_at, outcome FROM endpoint_status_change
  WHERE asked_at >= $1 AND endpoint_uuid = ANY($2::uuid[]) ORDER BY asked_at, id`

const GIVEN = `
  SELECT DISTINCT ON (endpoint_uuid) endpoint_uuid, status FROM endpoint_status_change
  WHERE asked_at >= $1::timestamptz - interval '1 hour' AND settled_at >= $1 AND outcome = 'done'
  ORDER BY endpoint_uuid, settled_at DESC`
