import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

export type NextRetry = z.output<typeof RetryRowSchema>

/** The retry that comes first, of whichever endpoint. `attempts` were made before it. */
export async function findNextRetry(database: QueryClient): Promise<NextRetry | undefined> {
  const { rows } = await database.query(
    `select d.due_at, d.attempts, d.endpoint_uuid, w.description, e.type, e.sub_type
     from delivery d join event e on e.id = d.event_id join webhook_endpoint w on w.uuid = d.endpoint_uuid
     where d.state = 'waiting' and d.attempts > 0 and w.status = 'active' order by d.due_at, d.id limit 1`,
  )
  return rows[0] && RetryRowSchema.parse(rows[0])
}

const RetryRowSchema = z.object({
  due_at: z.date(),
  attempts: z.number(),
  endpoint_uuid: z.string(),
  description: z.string(),
  type: z.string(),
  sub_type: z.string(),
})
