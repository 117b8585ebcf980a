import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

/** How much there is of what a reset removes. */
export async function countRows(database: QueryClient) {
  const { rows } = await database.query(
    `SELECT (SELECT count(*)::int FROM account) AS users, (SELECT count(*)::int FROM session) AS sessions,
       (SELECT count(*)::int FROM webhook_endpoint) AS endpoints, (SELECT count(*)::int FROM mail) AS mails,
       (SELECT count(*)::int FROM play) AS plays, (SELECT count(*)::int FROM event) AS events,
       (SELECT count(*)::int FROM delivery) AS deliveries`,
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
