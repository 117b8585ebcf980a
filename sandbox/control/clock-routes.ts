import { createRoute, z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/pool.ts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { findNextDue } from '../time/timekeeper.ts'

/** The routes read, move, freeze and speed up the clock. */
export function clockRoutes(sandbox: Sandbox) {
  const router = createRouter()

  router.openapi(read, async (context) => context.json(await show(), 200))

  router.openapi(goAhead, async (context) => {
    await sandbox.time.advance(context.req.valid('json').seconds)
    return context.json(await show(), 200)
  })

  router.openapi(set, async (context) => {
    await sandbox.time.set(new Date(context.req.valid('json').now))
    return context.json(await show(), 200)
  })

  router.openapi(freeze, async (context) => {
    await sandbox.time.freeze()
    return context.json(await show(), 200)
  })

  router.openapi(resume, async (context) => {
    await sandbox.time.resume()
    return context.json(await show(), 200)
  })

  router.openapi(changeSpeed, async (context) => {
    await sandbox.time.setSpeed(context.req.valid('json').factor)
    return context.json(await show(), 200)
  })

  return router

  async function show() {
    const nextDue = await findNextDue(sandbox)
    return {
      now: sandbox.clock.now().toISOString(),
      speed: sandbox.clock.speed,
      frozen: sandbox.clock.frozen,
      next_due_at: nextDue?.toISOString() ?? null,
    }
  }
}

/** A client may advance the clock by up to 366 days. */
export const SecondsSchema = z
  .number()
  .positive()
  .max(366 * 86_400)

/** The factor counts sandbox seconds per real second. */
export const FactorSchema = z.number().min(0.01).max(100_000)

/** The clock can be set to this moment. */
const MomentSchema = z.iso
  .datetime({ offset: true })
  .refine((text) => new Date(text) >= first && new Date(text) < last, 'must lie in the years 2000 to 2099')
  .openapi({ example: '2030-01-01T00:00:00Z' })

const first = new Date('2000-01-01T00:00:00Z')
const last = new Date('2100-01-01T00:00:00Z')

const ClockBodySchema = z
  .object({
    now: z.iso.datetime(),
    speed: z.number(),
    frozen: z.boolean(),
    next_due_at: z.iso.datetime().nullable(),
  })
  .openapi('Clock')

const read = createRoute({
  method: 'get',
  path: '/clock',
  operationId: 'readClock',
  tags: ['Clock'],
  summary: 'Read the clock',
  description: 'Codes, sessions, messages, retries and scenario steps go by it.',
  responses: {
    200: jsonAnswer(
      'The sandbox’s time, its speed, and when the next retry or scenario step comes',
      ClockBodySchema,
    ),
  },
})

const goAhead = createRoute({
  method: 'post',
  path: '/clock/advance',
  operationId: 'advanceClock',
  tags: ['Clock'],
  summary: 'Advance the clock',
  description:
    'The clock moves from one due moment to the next; what was due then is attempted and recorded before it moves on. It does not wait for events that are sent meanwhile, such as a load’s.',
  request: jsonBody(z.strictObject({ seconds: SecondsSchema }).openapi('AdvanceClockRequest')),
  responses: {
    200: jsonAnswer('The clock, with everything done that came due on the way', ClockBodySchema),
    ...refusalAnswers(400),
  },
})

const set = createRoute({
  method: 'post',
  path: '/clock/set',
  operationId: 'setClock',
  tags: ['Clock'],
  summary: 'Set the clock to a moment',
  description:
    'A moment ahead is reached from one due moment to the next. Set back, the clock makes whatever waits wait longer.',
  request: jsonBody(z.strictObject({ now: MomentSchema })),
  responses: { 200: jsonAnswer('The clock', ClockBodySchema), ...refusalAnswers(400) },
})

const freeze = createRoute({
  method: 'post',
  path: '/clock/freeze',
  operationId: 'freezeClock',
  tags: ['Clock'],
  summary: 'Make the clock stand still',
  description:
    'Nothing further comes due until the clock is advanced, set or resumed. Frozen, then set, it shows exactly that moment.',
  responses: { 200: jsonAnswer('The clock', ClockBodySchema) },
})

const resume = createRoute({
  method: 'post',
  path: '/clock/resume',
  operationId: 'resumeClock',
  tags: ['Clock'],
  summary: 'Let a frozen clock go on',
  description: 'From the moment that it shows, at its speed.',
  responses: { 200: jsonAnswer('The clock', ClockBodySchema) },
})

const changeSpeed = createRoute({
  method: 'post',
  path: '/clock/speed',
  operationId: 'setClockSpeed',
  tags: ['Clock'],
  summary: 'Make time pass faster or slower',
  description:
    'Sandbox seconds per real second. The time-out of a delivery stays real: it measures another program.',
  request: jsonBody(z.strictObject({ factor: FactorSchema }).openapi('SetClockSpeedRequest')),
  responses: { 200: jsonAnswer('The clock', ClockBodySchema), ...refusalAnswers(400) },
})

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
