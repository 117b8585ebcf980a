import { createRoute, z } from '@hono/zod-openapi'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { type LoadProgress, type SandboxWithLoad, type Share, sendAll } from '../load/load.ts'
import { findScenario, scenarios } from '../scenarios/catalogue.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { listAccounts } from '../service/accounts.ts'
import { notFound, Refusal } from '../service/refusal.ts'

/** A load sends plausible events about existing users at a given pace. Only one load runs at a time. */
export function loadRoutes(sandbox: SandboxWithLoad) {
  const { load } = sandbox
  const router = createRouter()

  router.openapi(start, async (context) => {
    const started = await startLoad(sandbox, context.req.valid('json'))
    return context.json({ load_id: started.id, events: started.events }, 202)
  })

  router.openapi(read, (context) => {
    const progress = load.progress()
    if (!progress) throw notFound('No load has run')
    return context.json(loadBody(progress), 200)
  })

  router.openapi(stop, async (context) => {
    await load.stop()
    return context.body(null, 204)
  })

  return router
}

/** The start fails when there are no users, and while another load runs. */
export async function startLoad(
  sandbox: SandboxWithLoad,
  { per_second, seconds, mix }: z.output<typeof NewLoadSchema>,
) {
  const [first, ...others] = await listAccounts(sandbox.pool)
  if (!first) throw notFound('There is no user yet: create one with POST /user')
  const started = sandbox.load.start({
    perSecond: per_second,
    events: per_second * seconds,
    mix,
    people: [first, ...others],
    startsAt: sandbox.clock.now(),
    send: (envelopes) => sendAll(sandbox, envelopes),
  })
  if (!started) throw new Refusal(409, 'LoadRunsError', 'A load is running: wait for its end or stop it')
  return started
}

/** ASSUMED: about seven in ten new transactions succeed, and the others take any of the other paths. */
const usualMix = Object.fromEntries(
  scenarios
    .filter(({ group }) => group === 'Fiat to stablecoin' || group === 'Stablecoin to fiat')
    .map(({ name, title }) => [name, title === 'Success' ? 10 : 1]),
)

/** The record gives each scenario name a weight. */
const MixSchema = z
  .record(z.string(), z.number().positive().max(1_000_000))
  .optional()
  .openapi({ example: { 'fiat-to-crypto': 10, 'crypto-to-fiat': 1 } })
  .describe('Scenarios and their weights; without it the usual ones.')
  .transform((weights = usualMix, context) => {
    const shares = Object.entries(weights).map(([name, weight]) => ({ scenario: findScenario(name), weight }))
    const [first, ...others] = shares.filter(isKnown)
    if (first && others.length === shares.length - 1) return [first, ...others] as const
    context.addIssue({ code: 'custom', message: 'must name scenarios of GET scenarios, at least one' })
    return z.NEVER
  })

const isKnown = (share: { scenario: Scenario | undefined; weight: number }): share is Share =>
  share.scenario !== undefined

export const NewLoadSchema = z
  .strictObject({
    per_second: z.number().int().min(1).max(10_000),
    seconds: z.number().int().min(1).max(86_400),
    mix: MixSchema,
  })
  .openapi('StartLoadRequest')

const LoadBodySchema = z
  .object({
    load_id: z.uuid(),
    state: z.enum(['running', 'finished', 'stopped', 'failed']),
    events: z.number().int().openapi({ example: 600 }),
    sent: z.number().int().openapi({ example: 240 }),
    per_second: z.number().openapi({ example: 10 }),
    sent_per_second: z.number().openapi({ example: 10 }),
    deliveries: z.number().int().openapi({ example: 240 }),
  })
  .openapi('Load')

const loadBody = ({ id, state, events, sent, perSecond, seconds, deliveries }: LoadProgress) => ({
  load_id: id,
  state,
  events,
  sent,
  per_second: perSecond,
  sent_per_second: seconds > 0 ? Math.round((sent / seconds) * 10) / 10 : 0,
  deliveries,
})

const start = createRoute({
  method: 'post',
  path: '/load',
  operationId: 'startLoad',
  tags: ['Load'],
  summary: 'Send many events',
  description:
    'Transactions are begun and go on so that this many events leave per second, about the users that exist.',
  request: jsonBody(NewLoadSchema),
  responses: {
    202: jsonAnswer(
      'Sending',
      z.object({ load_id: z.uuid(), events: z.number().int() }).openapi('StartedLoad'),
    ),
    ...refusalAnswers(400, 404, 409),
  },
})

const read = createRoute({
  method: 'get',
  path: '/load',
  operationId: 'readLoad',
  tags: ['Load'],
  summary: 'Read how a load goes',
  description: 'The one that runs, or ran last.',
  responses: {
    200: jsonAnswer(
      'The load that runs or ran last: what it was asked for and what it has sent',
      LoadBodySchema,
    ),
    ...refusalAnswers(404),
  },
})

const stop = createRoute({
  method: 'delete',
  path: '/load',
  operationId: 'stopLoad',
  tags: ['Load'],
  summary: 'Stop the load',
  description: 'Also where none runs.',
  responses: { 204: { description: 'Nothing is sent any more; what was sent is still delivered' } },
})
