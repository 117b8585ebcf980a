import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

/** How much there is of what a reset removes. */
export async function countRows(database: QueryClient) {
  const { rows } = await database.query(
    `select (select count(*)::int from account) as users, (select count(*)::int from session) as sessions,
       (select count(*)::int from webhook_endpoint) as endpoints, (select count(*)::int from mail) as mails,
       (select count(*)::int from play) as plays, (select count(*)::int from event) as events,
       (select count(*)::int from delivery) as deliveries`,
  )
  return CountsSchema.parse(rows[0])
}

const CountsSchema = z.object({
  users: z.number(),
  sessions: z.number(),
  endpoints: z.number(),
  mails: z.number(),
  plays: z.number(),
  events: z.number(),
  deliveries: z.number(),
})
