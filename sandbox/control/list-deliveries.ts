import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/transaction.ts'
import { EnvelopeSchema } from '../state/event-types.ts'

export type DeliveryView = z.output<typeof DeliveryRowSchema>

/** Deliveries to one endpoint or to all, newest first, each with its envelope and its attempts, first to last. */
export async function listDeliveries(database: QueryClient, endpoint: string | undefined, limit: number) {
  const { rows } = await database.query(
    `SELECT d.id, d.endpoint_uuid, d.state, d.attempts AS attempts_made, d.created_at,
       CASE WHEN d.state = 'waiting' THEN d.due_at END AS next_attempt_at, e.body::json AS envelope,
       COALESCE(tries.list, '[]') AS attempts
     FROM delivery d JOIN event e ON e.id = d.event_id
     LEFT JOIN LATERAL (
       SELECT json_agg(json_build_object(
         'number', a.number, 'url', a.url, 'started_at', a.started_at, 'duration_ms', a.duration_ms,
         'status', a.status, 'answer', a.answer, 'failure', a.failure) ORDER BY a.number) AS list
       FROM attempt a WHERE a.delivery_id = d.id
     ) tries ON true
     WHERE $1::uuid IS NULL OR d.endpoint_uuid = $1
     ORDER BY d.number DESC LIMIT $2`,
    [endpoint ?? null, limit],
  )
  return z.array(DeliveryRowSchema).parse(rows)
}

export const DeliveryRowSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    endpoint_uuid: z.string().meta({ format: 'uuid' }),
    state: z.enum(['waiting', 'delivered', 'lost', 'stopped']),
    attempts_made: z.number().int().min(0).max(7).openapi({ example: 1 }),
    created_at: z.date(),
    next_attempt_at: z.date().nullable().describe('When it is due, while it waits.'),
    envelope: EnvelopeSchema,
    attempts: z.array(
      z
        .object({
          number: z.number().int().min(1).max(7),
          url: z.string().openapi({ example: 'https://merchant.example/hook' }),
          // PostgreSQL writes times of its JSON in a form of its own.
          started_at: z.coerce.date().openapi({ type: 'string', format: 'date-time' }),
          duration_ms: z.number().int().openapi({ example: 35 }),
          status: z
            .number()
            .int()
            .nullable()
            .openapi({ example: 503 })
            .describe('Null where no answer came.'),
          answer: z.string().nullable().openapi({ example: 'Service Unavailable' }),
          failure: z.string().nullable().openapi({ example: 'status 503' }),
        })
        .openapi('Attempt'),
    ),
  })
  .openapi('Delivery')
