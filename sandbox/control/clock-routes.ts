import { createRoute, z } from '@hono/zod-openapi'
import { jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { createRouter } from '../http/validation.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { findNextDue } from '../time/advance.ts'

/** The clock: read, set ahead, and made faster. */
export function clockRoutes(sandbox: Sandbox) {
  const router = createRouter()

  router.openapi(read, async (context) => context.json(await show(), 200))

  router.openapi(goAhead, async (context) => {
    await sandbox.time.advance(context.req.valid('json').seconds)
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
      next_due_at: nextDue?.toISOString() ?? null,
    }
  }
}

/** Seconds to go ahead: up to 366 days. */
export const SecondsSchema = z
  .number()
  .positive()
  .max(366 * 86_400)

/** Sandbox seconds per real second. */
export const FactorSchema = z.number().min(0.01).max(100_000)

const ClockBodySchema = z
  .object({
    now: z.iso.datetime(),
    speed: z.number(),
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
  summary: 'Go ahead in time',
  description:
    'The clock moves from one due moment to the next; what was due then is attempted and recorded before it moves on.',
  request: jsonBody(z.strictObject({ seconds: SecondsSchema }).openapi('AdvanceClockRequest')),
  responses: {
    200: jsonAnswer('The clock, with everything done that came due on the way', ClockBodySchema),
    ...refusalAnswers(400),
  },
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
