import { setTimeout as sleep } from 'node:timers/promises'
import { createRoute, z } from '@hono/zod-openapi'
import { DatabaseError, type Pool } from 'pg'
import { type QueryClient, transaction } from '../database/pool.ts'
import { createRouter, jsonAnswer } from '../http/shapes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { AccountRowSchema, listAccounts } from '../service/accounts.ts'
import { EndpointRowSchema, listEndpoints, type WebhookEndpoint } from '../service/webhook-endpoints.ts'
import { EnvelopeSchema, EventTypeSchema } from '../state/event-types.ts'
import { greatestSeed, seedAtReset, UuidSchema } from '../state/ids.ts'
import { wholeInText } from '../state/options.ts'
import { RefusedRequestSchema } from '../state/refusals.ts'

type Mail = z.output<typeof MailRowSchema>

/**
 * The list holds the last 100 mails of one address or of all, newest last. The case counts where it tells two people apart.
 */
export async function listMail(database: QueryClient, email?: string): Promise<Mail[]> {
  const { rows } = await database.query(
    `SELECT * FROM (
       SELECT number, id, user_uuid, email, code, sent_at, bounced FROM mail
       WHERE $1::text IS NULL OR email = $1
         OR (lower(email) = lower($1) AND NOT EXISTS (SELECT FROM account WHERE account.email = $1))
       ORDER BY number DESC LIMIT 100
     ) newest ORDER BY number`,
    [email && addressIn(email)],
  )
  return z.array(MailRowSchema).parse(rows)
}

/** An unencoded plus sign in a query arrives as a blank. No address has a blank outside quotes. */
const addressIn = (email: string) =>
  email.includes('"') ? email.trim() : email.trimEnd().replaceAll(' ', '+')

const MailRowSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    user_uuid: z.string().meta({ format: 'uuid' }),
    email: z.string().meta({ example: 'someone@demo.test' }),
    code: z.string().meta({ example: '123456' }),
    sent_at: z.date(),
    bounced: z.boolean(),
  })
  .openapi('Mail')

export type DeliveryView = z.output<typeof DeliveryRowSchema>

/** The list holds deliveries to one endpoint or to all, newest first, each with its envelope and its attempts in order. */
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

const DeliveryRowSchema = z
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
          // PostgreSQL writes times inside JSON in its own format.
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

const EndpointWithSecretSchema = EndpointRowSchema.extend({
  subscribed_events: z
    .array(EventTypeSchema)
    .optional()
    .describe('Absent without a filter, as in the service’s answers.'),
}).openapi('EndpointWithSecret', { description: '§2.3, with the secret.' })

const endpointWithSecret = ({ subscribed_events, ...endpoint }: WebhookEndpoint) => ({
  ...endpoint,
  ...(subscribed_events && { subscribed_events }),
})

/** The routes show the sandbox's whole state, secrets and codes included, and delete it. */
export function stateRoutes(sandbox: SandboxWithLoad) {
  const { pool } = sandbox
  const router = createRouter()

  router.openapi(mailbox, async (context) =>
    context.json(await listMail(pool, context.req.valid('query').email), 200),
  )

  router.openapi(users, async (context) => context.json(await listAccounts(pool), 200))

  router.openapi(endpoints, async (context) => {
    const listed = await listEndpoints(pool)
    return context.json(listed.map(endpointWithSecret), 200)
  })

  router.openapi(deliveries, async (context) => {
    const { endpoint, limit } = context.req.valid('query')
    return context.json(await listDeliveries(pool, endpoint, limit), 200)
  })

  router.openapi(refused, (context) =>
    context.json(sandbox.refusals.list(context.req.valid('query').limit), 200),
  )

  router.openapi(resetAll, async (context) => {
    await reset(sandbox, context.req.valid('query').seed)
    return context.body(null, 204)
  })

  return router
}

const mailbox = createRoute({
  method: 'get',
  path: '/mailbox',
  operationId: 'listMail',
  tags: ['State'],
  summary: 'List the mails',
  description: 'Each one-time password that was sent, the last 100.',
  request: {
    query: z.object({
      email: z
        .string()
        .optional()
        .openapi({ example: 'someone@demo.test' })
        .describe('Those to this address only.'),
    }),
  },
  responses: { 200: jsonAnswer('The mails, newest last', z.array(MailRowSchema)) },
})

const users = createRoute({
  method: 'get',
  path: '/users',
  operationId: 'listUsers',
  tags: ['State'],
  summary: 'List the users',
  description: 'At most 1,000.',
  responses: { 200: jsonAnswer('The users, oldest first', z.array(AccountRowSchema)) },
})

const endpoints = createRoute({
  method: 'get',
  path: '/endpoints',
  operationId: 'listEndpointsWithSecrets',
  tags: ['State'],
  summary: 'List the endpoints with their signing secrets',
  description: 'So that a test can speak as the service.',
  responses: { 200: jsonAnswer('The endpoints, oldest first', z.array(EndpointWithSecretSchema)) },
})

const deliveries = createRoute({
  method: 'get',
  path: '/deliveries',
  operationId: 'listDeliveries',
  tags: ['State'],
  summary: 'List the deliveries with their attempts',
  description: '§6.8. A delivery is one event on its way to one endpoint, in up to seven attempts.',
  request: {
    query: z.object({
      endpoint: UuidSchema.optional().describe('Those to this endpoint only.'),
      limit: wholeInText(1, 10_000).default(100).openapi({ default: 100 }),
    }),
  },
  responses: { 200: jsonAnswer('The deliveries, newest first', z.array(DeliveryRowSchema)) },
})

const refused = createRoute({
  method: 'get',
  path: '/refusals',
  operationId: 'listRefusals',
  tags: ['State'],
  summary: 'List the refused requests with what was wrong',
  description:
    'The last 1,000 since the start. They say more than the answers did, and hold no credentials or bodies.',
  request: {
    query: z.object({ limit: wholeInText(1, 1_000).default(100).openapi({ default: 100 }) }),
  },
  responses: { 200: jsonAnswer('The refused requests, newest first', z.array(RefusedRequestSchema)) },
})

const resetAll = createRoute({
  method: 'post',
  path: '/reset',
  operationId: 'reset',
  tags: ['State'],
  summary: 'Start over',
  description:
    'Forgets users, endpoints, mails, deliveries, plays and faults; the clock shows real time, at its speed.',
  request: {
    query: z.object({
      seed: wholeInText(0, greatestSeed)
        .optional()
        .describe(
          'Ids, secrets and codes follow it from now on, the same for the same seed; 0 makes them random. Left out: as before.',
        ),
    }),
  },
  responses: { 204: { description: 'Everything is gone' } },
})

/**
 * A reset empties everything but the schema, and sets the clock to real time. Jobs in progress find nothing left to do. Ids
 * restart with their seed or with the given one; 0 removes the seed.
 */
export async function reset(sandbox: SandboxWithLoad, seed?: number): Promise<void> {
  await sandbox.load.clear()
  while (!(await emptyTables(sandbox.pool))) await sleep(20)
  sandbox.ids.restart(await seedAtReset(sandbox.pool, seed))
  sandbox.faults.clear()
  sandbox.refusals.clear()
  await sandbox.time.showRealTime()
}

/**
 * The function answers whether it succeeded. It needs all tables and gives up early when one is locked, because the holder
 * may be waiting for another table.
 */
async function emptyTables(pool: Pool): Promise<boolean> {
  try {
    await transaction(pool, async (database) => {
      await database.query(`SET LOCAL lock_timeout = '100ms'`)
      await database.query(
        `TRUNCATE account, session, one_time_password, used_nonce, mail, webhook_endpoint, play, event, delivery, attempt, receiver_secret, received`,
      )
      await database.query('UPDATE receiver SET status = 200')
      await database.query(`SELECT complete_jobs(array_agg(id)) FROM jobs HAVING count(*) > 0`)
    })
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === lockNotAvailable) return false
    throw error
  }
}

/** PostgreSQL reports this code when lock_timeout is over. */
const lockNotAvailable = '55P03'

/** A reset would delete these rows. */
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
