import { z } from 'zod'
import type { QueryClient } from '../database/pool.ts'
import { type Account, AccountRowSchema } from '../service/accounts.ts'
import {
  EndpointRowSchema,
  type WebhookEndpoint,
  type WebhookEndpointStatus,
} from '../service/webhook-endpoints.ts'

/** `text` matches a part of the name, e-mail, wallet address or uuid. The newest users come first, with their total. */
export async function findAccounts(
  database: QueryClient,
  text: string | undefined,
  limit: number,
): Promise<{ accounts: Account[]; total: number }> {
  const { rows } = await database.query(
    `SELECT *, date_of_birth::text AS date_of_birth, count(*) OVER ()::int AS total FROM account
     WHERE $1::text IS NULL
       OR position(lower($1 COLLATE "C") IN lower(concat_ws(' ', first_name, last_name, email, target_address, uuid) COLLATE "C")) > 0
     ORDER BY number DESC LIMIT $2`,
    [text ?? null, limit],
  )
  return { accounts: z.array(AccountRowSchema).parse(rows), total: rows[0]?.total ?? 0 }
}

/** `text` matches a part of the url, the description or the uuid. The newest endpoints come first, with their total. */
export async function findEndpoints(
  database: QueryClient,
  { text, status }: { text?: string | undefined; status?: WebhookEndpointStatus | undefined },
  limit: number,
): Promise<{ endpoints: WebhookEndpoint[]; total: number }> {
  const { rows } = await database.query(
    `SELECT *, count(*) OVER ()::int AS total FROM webhook_endpoint
     WHERE ($1::text IS NULL OR position(lower($1 COLLATE "C") IN lower(concat_ws(' ', url, description, uuid) COLLATE "C")) > 0)
       AND ($2::text IS NULL OR status = $2)
     ORDER BY number DESC LIMIT $3`,
    [text ?? null, status ?? null, limit],
  )
  return { endpoints: z.array(EndpointRowSchema).parse(rows), total: rows[0]?.total ?? 0 }
}
