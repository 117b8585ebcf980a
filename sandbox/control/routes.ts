import { randomUUID } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { emit } from '../deliveries/emit.ts'
import { notFound } from '../http/refusal.ts'
import { answers, refuses, takes } from '../http/shapes.ts'
import { createRouter } from '../http/validation.ts'
import type { Sandbox } from '../sandbox.ts'
import { findScenario, scenarios } from '../scenarios/catalogue.ts'
import { createHistory } from '../scenarios/history.ts'
import { playScenario } from '../scenarios/play.ts'
import { listAccounts, requireAccount } from '../service/accounts.ts'
import { Envelope } from '../service/event-types.ts'
import { listEndpoints } from '../service/webhook-endpoints.ts'
import { clockRoutes } from './clock-routes.ts'
import { faultRoutes } from './fault-routes.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listMail } from './list-mail.ts'
import { loadRoutes } from './load-routes.ts'
import { requirePlayer } from './require-player.ts'
import { reset } from './reset.ts'
import { Speed } from './speed.ts'

/** The control interface: what a test or a demo does that no client of the service could. */
export function controlRoutes(sandbox: Sandbox) {
  const { pool, clock } = sandbox
  const router = createRouter()

  router.openapi(mailbox, async (context) =>
    context.json(await listMail(pool, context.req.valid('query').email), 200),
  )

  router.openapi(endpoints, async (context) => context.json(await listEndpoints(pool), 200))

  router.openapi(users, async (context) => context.json(await listAccounts(pool), 200))

  router.openapi(deliveries, async (context) => {
    const { endpoint, limit } = context.req.valid('query')
    return context.json(await listDeliveries(pool, endpoint, limit), 200)
  })

  router.openapi(listScenarios, (context) =>
    context.json(
      scenarios.map(({ build: _, ...shown }) => shown),
      200,
    ),
  )

  router.openapi(play, async (context) => {
    const { name, user_uuid, speed } = context.req.valid('json')
    const scenario = findScenario(name)
    if (!scenario) throw notFound(`No scenario is called ${name}`)
    const account = await requirePlayer(pool, user_uuid)
    const { playId, transactionUuid, events } = await playScenario(sandbox, scenario, account, speed)
    return context.json(
      {
        name,
        play_id: playId,
        user_uuid: account.uuid,
        events,
        ...(transactionUuid && { transaction_uuid: transactionUuid }),
      },
      202,
    )
  })

  router.openapi(send, async (context) => {
    const eventId = randomUUID()
    const sent = await emit(pool, clock, eventId, context.req.valid('json'), await context.req.text())
    return context.json({ event_id: eventId, deliveries: sent }, 202)
  })

  router.openapi(history, async (context) => {
    const { user, days, transactions, seed } = context.req.valid('query')
    const uuids = typeof user === 'string' ? [user] : user
    const accounts = await (uuids
      ? Promise.all(uuids.map((uuid) => requireAccount(pool, uuid)))
      : listAccounts(pool))
    const [first, ...others] = accounts
    if (!first) throw notFound('There is no user yet')
    const past = createHistory({ people: [first, ...others], days, transactions, seed, now: clock.now() })
    const lines = past.map(({ at, envelope }) => `${JSON.stringify({ at: at.toISOString(), envelope })}\n`)
    return context.body(lines.join(''), 200, { 'Content-Type': 'application/x-ndjson' })
  })

  router.route('/', clockRoutes(sandbox))
  router.route('/', faultRoutes(sandbox))
  router.route('/', loadRoutes(sandbox))

  router.openapi(resetAll, async (context) => {
    await reset(sandbox)
    return context.body(null, 204)
  })

  return router
}

/** Is sent as it came, to the last digit: nothing but the four fields, and nested no deeper than can be shown. */
const ExactEnvelope = Envelope.strict().refine(({ data }) => depthOf(data, 200) < 200, 'is nested too deep')

function depthOf(value: unknown, limit: number): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner, limit - 1)))
}

const Anything = z.array(z.record(z.string(), z.unknown()))

const mailbox = createRoute({
  method: 'get',
  path: '/mailbox',
  request: { query: z.object({ email: z.string().optional() }) },
  responses: { 200: answers('Mails, newest last, each with its code', Anything) },
})

const endpoints = createRoute({
  method: 'get',
  path: '/endpoints',
  responses: { 200: answers('Endpoints with their signing secrets', Anything) },
})

const users = createRoute({
  method: 'get',
  path: '/users',
  responses: { 200: answers('All users', Anything) },
})

const deliveries = createRoute({
  method: 'get',
  path: '/deliveries',
  request: {
    query: z.object({
      endpoint: z.uuid().optional(),
      limit: z.coerce.number().int().min(1).max(10_000).default(100),
    }),
  },
  responses: { 200: answers('Deliveries, newest first, with their attempts', Anything), ...refuses(400) },
})

const listScenarios = createRoute({
  method: 'get',
  path: '/scenarios',
  responses: { 200: answers('What can be played', Anything) },
})

const play = createRoute({
  method: 'post',
  path: '/scenarios',
  request: takes(z.object({ name: z.string(), user_uuid: z.uuid().optional(), speed: Speed })),
  responses: {
    202: answers(
      'Playing',
      z.object({
        name: z.string(),
        play_id: z.uuid(),
        user_uuid: z.uuid(),
        transaction_uuid: z.uuid().optional(),
        events: z.number().int(),
      }),
    ),
    ...refuses(400, 404),
  },
})

const send = createRoute({
  method: 'post',
  path: '/events',
  request: takes(ExactEnvelope),
  responses: {
    202: answers('Queued', z.object({ event_id: z.uuid(), deliveries: z.number().int() })),
    ...refuses(400),
  },
})

const history = createRoute({
  method: 'get',
  path: '/history',
  request: {
    query: z.object({
      user: z.union([z.uuid(), z.array(z.uuid()).min(1)]).optional(),
      days: z.coerce.number().min(0.01).max(3_650).default(7),
      transactions: z.coerce.number().int().min(1).max(100_000).default(500),
      seed: z.coerce
        .number()
        .int()
        .min(0)
        .max(2 ** 32 - 1)
        .default(1),
    }),
  },
  responses: {
    200: { description: 'Past deliveries as lines of JSON, in order of time' },
    ...refuses(400, 404),
  },
})

const resetAll = createRoute({
  method: 'post',
  path: '/reset',
  responses: {
    204: {
      description:
        'Everything is gone: users, endpoints, mails, deliveries, plays; the clock shows real time',
    },
  },
})
