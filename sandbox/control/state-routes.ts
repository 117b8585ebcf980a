import { createRoute, z } from '@hono/zod-openapi'
import { jsonAnswer } from '../http/shapes.ts'
import { createRouter } from '../http/validation.ts'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { AccountRowSchema, listAccounts } from '../service/accounts.ts'
import { EndpointRowSchema, listEndpoints } from '../service/webhook-endpoints.ts'
import { SeedSchema } from '../state/ids.ts'
import { RefusedRequestSchema } from '../state/refusals.ts'
import { DeliveryRowSchema, listDeliveries } from './list-deliveries.ts'
import { listMail, MailRowSchema } from './list-mail.ts'
import { reset } from './reset.ts'

/** What the sandbox holds: seen whole, secrets and codes included, and thrown away. */
export function stateRoutes(sandbox: SandboxWithLoad) {
  const { pool } = sandbox
  const router = createRouter()

  router.openapi(mailbox, async (context) =>
    context.json(await listMail(pool, context.req.valid('query').email), 200),
  )

  router.openapi(users, async (context) => context.json(await listAccounts(pool), 200))

  router.openapi(endpoints, async (context) => context.json(await listEndpoints(pool), 200))

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
  responses: { 200: jsonAnswer('The endpoints, oldest first', z.array(EndpointRowSchema)) },
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
      endpoint: z.uuid().optional().describe('Those to this endpoint only.'),
      limit: z.coerce.number().int().min(1).max(10_000).default(100),
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
    query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) }),
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
      seed: SeedSchema.optional().describe(
        'Ids, secrets and codes follow it from now on, the same for the same seed; 0 makes them random. Left out: as before.',
      ),
    }),
  },
  responses: { 204: { description: 'Everything is gone' } },
})
