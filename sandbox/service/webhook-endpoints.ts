import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/pool.ts'
import { EventTypeSchema } from '../state/event-types.ts'
import type { Ids } from '../state/ids.ts'
import { notFound, Refusal } from './refusal.ts'

/** §2.3 defines this. */
export type WebhookEndpoint = z.output<typeof EndpointRowSchema>

export type WebhookEndpointStatus = WebhookEndpoint['status']

interface Changes {
  readonly url?: string | undefined
  readonly status?: 'active' | 'disabled' | undefined
  readonly subscribed_events?: string[] | undefined
}

export async function createEndpoint(
  database: QueryClient,
  ids: Ids,
  endpoint: { url: string; description: string; subscribed_events?: string[] | undefined },
  now: Date,
): Promise<WebhookEndpoint> {
  const { rows } = await database.query(
    `INSERT INTO webhook_endpoint (uuid, url, description, subscribed_events, status, signing_secret, created_at)
     VALUES ($1, $2, $3, $4, 'active', $5, $6) RETURNING ${columns}`,
    [
      ids.uuid('endpoint'),
      endpoint.url,
      endpoint.description,
      endpoint.subscribed_events ?? null,
      newSecret(ids),
      now,
    ],
  )
  return EndpointRowSchema.parse(rows[0])
}

/** Endpoints are listed oldest first. */
export async function listEndpoints(
  database: QueryClient,
  status?: WebhookEndpointStatus,
): Promise<WebhookEndpoint[]> {
  const { rows } = await database.query(
    `SELECT ${columns} FROM webhook_endpoint WHERE $1::text IS NULL OR status = $1 ORDER BY number`,
    [status ?? null],
  )
  return z.array(EndpointRowSchema).parse(rows)
}

export async function requireEndpoint(database: QueryClient, uuid: string): Promise<WebhookEndpoint> {
  const { rows } = await database.query(`SELECT ${columns} FROM webhook_endpoint WHERE uuid = $1`, [uuid])
  return found(rows[0])
}

/**
 * The function changes only the given fields (§3.1). ASSUMED: activating an endpoint also resets its count of lost
 * deliveries.
 */
export async function changeEndpoint(
  database: QueryClient,
  uuid: string,
  changes: Changes,
): Promise<WebhookEndpoint> {
  const { rows } = await database.query(
    `UPDATE webhook_endpoint SET
       url = COALESCE($2, url),
       status = COALESCE($3, status),
       subscribed_events = COALESCE($4, subscribed_events),
       lost_in_a_row = CASE WHEN $3 = 'active' THEN 0 ELSE lost_in_a_row END
     WHERE uuid = $1 RETURNING ${columns}`,
    [uuid, changes.url ?? null, changes.status ?? null, changes.subscribed_events ?? null],
  )
  return found(rows[0])
}

/**
 * The service disables an endpoint after too many lost deliveries, and here also on request (§3.1 does not show the cause).
 * Only an active endpoint can be disabled.
 */
export async function autoDisableEndpoint(database: QueryClient, uuid: string): Promise<void> {
  const { rowCount } = await database.query(
    `UPDATE webhook_endpoint SET status = 'auto_disabled' WHERE uuid = $1 AND status = 'active'`,
    [uuid],
  )
  if (rowCount === 1) return
  const { status } = await requireEndpoint(database, uuid)
  throw new Refusal(409, 'EndpointNotActiveError', `It is ${status} already`)
}

/** The previous secret stops being valid at once (§4.2). The next attempt of a queued delivery carries the new one. */
export async function rotateSecret(database: QueryClient, ids: Ids, uuid: string): Promise<WebhookEndpoint> {
  const { rows } = await database.query(
    `UPDATE webhook_endpoint SET signing_secret = $2 WHERE uuid = $1 RETURNING ${columns}`,
    [uuid, newSecret(ids)],
  )
  return found(rows[0])
}

/** The endpoint receives no further events, and its queued deliveries are deleted (§3.1). */
export async function deleteEndpoint(database: QueryClient, uuid: string): Promise<void> {
  const { rowCount } = await database.query('DELETE FROM webhook_endpoint WHERE uuid = $1', [uuid])
  if (rowCount === 0) throw notFound(unknownEndpoint)
}

export const EndpointRowSchema = z.object({
  uuid: z.string().meta({ format: 'uuid' }),
  url: z.string().meta({ example: 'https://merchant.example/hook' }),
  description: z.string().meta({ example: 'Ledger' }),
  subscribed_events: z.array(EventTypeSchema).nullable(),
  status: z.enum(['active', 'disabled', 'auto_disabled']),
  signing_secret: z.string().meta({ example: 'p0Xk3vQm9ZtR7bLw2NcYf8HdJs5GuEa1' }),
})

const columns = 'uuid, url, description, subscribed_events, status, signing_secret'

const unknownEndpoint = 'No webhook endpoint has this id'

/** ASSUMED: a secret is 32 random bytes in base64url. */
const newSecret = (ids: Ids) => ids.secret('signing secret')

function found(row: unknown): WebhookEndpoint {
  if (!row) throw notFound(unknownEndpoint)
  return EndpointRowSchema.parse(row)
}
