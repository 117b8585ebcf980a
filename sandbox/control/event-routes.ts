import { createRoute, z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/pool.ts'
import { emit } from '../deliveries/emit.ts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { findScenario, scenarios } from '../scenarios/catalogue.ts'
import { createHistory } from '../scenarios/history.ts'
import { followKyc, playScenario } from '../scenarios/play.ts'
import { scenarioGroups } from '../scenarios/scenario.ts'
import { type Account, listAccounts, requireAccount } from '../service/accounts.ts'
import { notFound } from '../service/refusal.ts'
import { EnvelopeSchema } from '../state/event-types.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** The factor says how many times faster than real time. */
export const SpeedFactorSchema = z.number().min(0).max(100_000)

/**
 * The factor divides the real pace: 1 is real, 5 lets a person watch, 0 or "instant" is as fast as the order allows. The
 * document shows only a number, because generators of clients fail on a union with a default.
 */
const SpeedSchema = z
  .union([z.literal('instant').transform(() => 0), SpeedFactorSchema])
  .default(5)
  .openapi({ type: 'number', minimum: 0, maximum: 100_000 })
  .describe(
    'Divides the real pace: 1 is real, 0 is as fast as the order allows, as is the word "instant"; 5 where it is left out.',
  )

/** The routes send scenarios, single events and a history. */
export function eventRoutes(sandbox: Sandbox) {
  const { pool, clock, ids } = sandbox
  const router = createRouter()

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
    const eventId = ids.uuid('event')
    const sent = await emit(pool, clock, eventId, context.req.valid('json'), await context.req.text())
    return context.json({ event_id: eventId, deliveries: sent }, 202)
  })

  router.openapi(history, async (context) => {
    const { user_uuids, days, transactions, seed } = context.req.valid('json')
    const accounts = await (user_uuids
      ? Promise.all(user_uuids.map((uuid) => requireAccount(pool, uuid)))
      : listAccounts(pool))
    const [first, ...others] = accounts
    if (!first) throw notFound('There is no user yet')
    const past = createHistory({ people: [first, ...others], days, transactions, seed, now: clock.now() })
    for (const { envelope } of past) await followKyc(pool, envelope)
    const lines = past.map(({ at, envelope }) => `${JSON.stringify({ at: at.toISOString(), envelope })}\n`)
    return context.body(lines.join(''), 200, { 'Content-Type': 'application/x-ndjson' })
  })

  return router
}

/**
 * The envelope is sent exactly as it came, to the last digit. It has only the four fields, and is nested no deeper than
 * pages can show.
 */
export const ExactEnvelope = EnvelopeSchema.strict()
  .refine(({ data }) => depthOf(data, 200) < 200, 'is nested too deep')
  .openapi('Envelope')

function depthOf(value: unknown, limit: number): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((deepest, inner) => Math.max(deepest, depthOf(inner, limit - 1)), 0)
}

const listScenarios = createRoute({
  method: 'get',
  path: '/scenarios',
  operationId: 'listScenarios',
  tags: ['Events'],
  summary: 'List what can be played',
  description: 'Every event type of §2.3, every status of §3.2 and §3.3, and trouble on the way.',
  responses: {
    200: jsonAnswer(
      'The scenarios',
      z.array(
        z
          .object({
            name: z.string().openapi({ example: 'fiat-to-crypto' }),
            title: z.string().openapi({ example: 'Success' }),
            description: z.string().openapi({ example: 'Fiat arrives, stablecoin leaves.' }),
            group: z.enum(scenarioGroups),
            assumed: z
              .boolean()
              .describe('Among its bodies are some that the contract does not show (§6.7).'),
            sends: z
              .array(z.string())
              .openapi({ example: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'] })
              .describe('The statuses, in order.'),
          })
          .openapi('Scenario'),
      ),
    ),
  },
})

const play = createRoute({
  method: 'post',
  path: '/scenarios',
  operationId: 'playScenario',
  tags: ['Events'],
  summary: 'Play a scenario',
  description: 'Its events leave one after the other, to every active endpoint that wants them.',
  request: jsonBody(
    z
      .object({
        name: z.string().openapi({ example: 'fiat-to-crypto' }),
        user_uuid: UuidSchema.optional().describe('Whom it is about; the oldest user otherwise.'),
        speed: SpeedSchema,
      })
      .openapi('PlayScenarioRequest'),
  ),
  responses: {
    202: jsonAnswer(
      'Playing',
      z
        .object({
          name: z.string().openapi({ example: 'fiat-to-crypto' }),
          play_id: z.uuid(),
          user_uuid: z.uuid(),
          transaction_uuid: z.uuid().optional(),
          events: z.number().int().openapi({ example: 4 }),
        })
        .openapi('Play'),
    ),
    ...refusalAnswers(404),
  },
})

const send = createRoute({
  method: 'post',
  path: '/events',
  operationId: 'sendEvent',
  tags: ['Events'],
  summary: 'Send exactly this event',
  description: '§2.4. The text is delivered as it came, to the last digit and blank.',
  request: jsonBody(ExactEnvelope),
  responses: {
    202: jsonAnswer(
      'Queued',
      z.object({ event_id: z.uuid(), deliveries: z.number().int() }).openapi('SentEvent'),
    ),
  },
})

const history = createRoute({
  method: 'post',
  path: '/history',
  operationId: 'createHistory',
  tags: ['Events'],
  summary: 'Make up a past',
  description:
    'Deliveries of the last days, the same for the same seed: people, accounts, companies, transactions. Nothing is sent; users are as verified as they are at its end.',
  request: jsonBody(
    z
      .strictObject({
        user_uuids: z
          .array(UuidSchema)
          .min(1)
          .max(1_000)
          .optional()
          .describe('Whom it is about; all users otherwise.'),
        days: z.number().min(0.01).max(3_650).default(7),
        transactions: z.number().int().min(1).max(100_000).default(500),
        seed: z
          .number()
          .int()
          .min(1)
          .max(2 ** 32 - 1)
          .default(1),
      })
      .openapi('CreateHistoryRequest'),
  ),
  responses: {
    200: {
      description: 'Lines of JSON in order of time, each `{ "at": moment, "envelope": { … } }`',
      content: {
        // The cast is needed because hono's types take every name that ends in json for JSON itself.
        ['application/x-ndjson' as string]: {
          schema: z.string().openapi({
            example: '{"at":"2026-11-20T12:00:00.000Z","envelope":{"type":"KYC","subType":"statusUpdate"}}\n',
          }),
        },
      },
    },
    ...refusalAnswers(404),
  },
})

export interface ShownPlay extends Omit<z.output<typeof PlayRowSchema>, 'first'> {
  /**
   * The uuid names the transaction, bank account, person or company of the scenario. It is the user's uuid until the first
   * event is sent.
   */
  readonly subject_uuid: string
}

export const mostPlays = 50

/** Each play comes with the state of its events. The newest play is first. */
export async function listPlays(database: QueryClient): Promise<ShownPlay[]> {
  const { rows } = await database.query(
    `SELECT p.id, p.scenario, p.user_uuid, p.transaction_uuid, p.events, p.started_at, a.email, became.*,
       (SELECT body FROM event WHERE id = p.event_ids[1]) AS first
     FROM (SELECT * FROM play ORDER BY number DESC LIMIT ${mostPlays}) p JOIN account a ON a.uuid = p.user_uuid
     CROSS JOIN LATERAL (
       SELECT count(e.id)::int AS sent,
         count(*) FILTER (WHERE d.wanted > 0 AND d.delivered = d.wanted)::int AS delivered,
         count(*) FILTER (WHERE d.lost > 0)::int AS lost,
         count(*) FILTER (WHERE d.wanted = 0)::int AS unwanted
       FROM unnest(p.event_ids) AS planned (id) JOIN event e ON e.id = planned.id
       CROSS JOIN LATERAL (
         SELECT count(*) AS wanted, count(*) FILTER (WHERE state = 'delivered') AS delivered,
           count(*) FILTER (WHERE state IN ('lost', 'stopped')) AS lost
         FROM delivery WHERE event_id = e.id
       ) d
     ) became
     ORDER BY p.number DESC`,
  )
  return z
    .array(PlayRowSchema)
    .parse(rows)
    .map(({ first, ...play }) => ({
      ...play,
      subject_uuid: play.transaction_uuid ?? subjectOf(first) ?? play.user_uuid,
    }))
}

/** Events of a bank account or profile name it in `data.uuid` (§6.3 to §6.5). */
function subjectOf(body: string | null): string | null {
  if (body === null) return null
  const { type, uuid, data } = EnvelopeSchema.parse(JSON.parse(body))
  return /bankAccount/i.test(type) ? z.string().parse(data.uuid) : uuid
}

const PlayRowSchema = z.object({
  id: z.string(),
  scenario: z.string(),
  user_uuid: z.string(),
  transaction_uuid: z.string().nullable(),
  events: z.number(),
  started_at: z.date(),
  email: z.string(),
  /**
   * The counts say how many events were sent, how many every endpoint took, how many some endpoint will never get, and how
   * many no endpoint subscribed to.
   */
  sent: z.number(),
  delivered: z.number(),
  lost: z.number(),
  unwanted: z.number(),
  /** The body is null until the first event is sent. */
  first: z.string().nullable(),
})

/** The scenario is about the named user, or else the oldest user. */
export async function requirePlayer(database: QueryClient, uuid: string | undefined): Promise<Account> {
  if (uuid) return requireAccount(database, uuid)
  const [oldest] = await listAccounts(database)
  if (!oldest) throw notFound('There is no user yet: create one with POST /user')
  return oldest
}
