import { z } from 'zod'
import type { QueryClient } from '../database/pool.ts'

export type NextRetry = z.output<typeof RetryRowSchema>

/** The function finds the next retry at any endpoint. `attempts` counts the attempts before it. */
export async function findNextRetry(database: QueryClient): Promise<NextRetry | undefined> {
  const { rows } = await database.query(
    `SELECT d.due_at, d.attempts, d.endpoint_uuid, w.description, e.type, e.sub_type
     FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook_endpoint w ON w.uuid = d.endpoint_uuid
     WHERE d.state = 'waiting' AND d.attempts > 0 AND w.status = 'active' ORDER BY d.due_at, d.number LIMIT 1`,
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
