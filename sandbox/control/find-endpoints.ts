import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'
import {
  EndpointRowSchema,
  type WebhookEndpoint,
  type WebhookEndpointStatus,
} from '../service/webhook-endpoints.ts'

/** The newest endpoints that fit, and how many there are. `text` is a part of the url, the description or the uuid. */
export async function findEndpoints(
  database: QueryClient,
  { text, status }: { text?: string | undefined; status?: WebhookEndpointStatus | undefined },
  limit: number,
): Promise<{ endpoints: WebhookEndpoint[]; total: number }> {
  const { rows } = await database.query(
    `select *, count(*) over ()::int as total from webhook_endpoint
     where ($1::text is null or position(lower($1) in lower(concat_ws(' ', url, description, uuid))) > 0)
       and ($2::text is null or status = $2)
     order by created_at desc, uuid limit $3`,
    [text ?? null, status ?? null, limit],
  )
  return { endpoints: z.array(EndpointRowSchema).parse(rows), total: rows[0]?.total ?? 0 }
}
