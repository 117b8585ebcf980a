import { z } from 'zod'
import { type QueryClient, transaction } from '../database/pool.ts'
import { emit } from '../deliveries/emit.ts'
import type { Account } from '../service/accounts.ts'
import { type Envelope, EnvelopeSchema } from '../state/event-types.ts'
import { createRandom } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds, type Clock } from '../time/clock.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'

/** `speed` divides the real pace; 0 plays as fast as the order allows. */
export interface Play {
  readonly playId: string
  readonly transactionUuid?: string
  readonly events: number
}

/** A scenario starts for a user and continues from the queue, through restarts. */
export async function playScenario(
  { pool, clock, ids }: Sandbox,
  scenario: Scenario,
  account: Account,
  speed: number,
): Promise<Play> {
  const built = scenario.build(account, createRandom(ids.whole('scenario', 2 ** 32)), clock.now())
  const playId = await transaction(pool, (database) =>
    startPlay(database, { clock, ids }, { scenario: scenario.name, userUuid: account.uuid, speed, ...built }),
  )
  const { transactionUuid } = built
  return { playId, ...(transactionUuid && { transactionUuid }), events: built.steps.length }
}

/** The function stores a play, queues its first step and answers its id. */
export async function startPlay(
  database: QueryClient,
  { clock, ids }: Pick<Sandbox, 'clock' | 'ids'>,
  play: {
    scenario: string
    userUuid: string
    transactionUuid?: string
    steps: ScenarioStep[]
    speed: number
  },
): Promise<string> {
  const id = ids.uuid('play')
  const steps = play.steps.map((step) => ({ ...step, eventId: ids.uuid('event') }))
  await database.query(
    `INSERT INTO play (id, scenario, user_uuid, transaction_uuid, events, event_ids, started_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      play.scenario,
      play.userUuid,
      play.transactionUuid ?? null,
      steps.length,
      steps.map(({ eventId }) => eventId),
      clock.now(),
    ],
  )
  await queueNextStep(database, clock, { playId: id, speed: play.speed, steps })
  return id
}

/**
 * One transaction sends a play's next event and queues the following one. A second run after a crash sends nothing twice.
 * After a reset the play no longer exists and nothing happens.
 */
export async function playNextStep({ pool, clock }: Sandbox, payload: unknown): Promise<void> {
  const { playId, speed, steps } = PlayJobSchema.parse(payload)
  const [step, ...rest] = steps
  if (!step) return
  await transaction(pool, async (database) => {
    const { rowCount: playing } = await database.query('SELECT 1 FROM play WHERE id = $1 FOR SHARE', [playId])
    const { rowCount: sent } = await database.query('SELECT 1 FROM event WHERE id = $1', [step.eventId])
    if (!playing || sent) return
    await emit(database, clock, step.eventId, step.envelope)
    await followKyc(database, step.envelope)
    await queueNextStep(database, clock, { playId, speed, steps: rest })
  })
}

const PlayJobSchema = z.object({
  playId: z.uuid(),
  speed: z.number(),
  steps: z.array(z.object({ afterSeconds: z.number(), eventId: z.uuid(), envelope: EnvelopeSchema })),
})

async function queueNextStep(database: QueryClient, clock: Clock, job: z.output<typeof PlayJobSchema>) {
  const [next] = job.steps
  if (!next) return
  const wait = job.speed > 0 ? Math.max(next.afterSeconds / job.speed, shortestGap) : shortestGap
  const dueAt = addSeconds(clock.now(), next.afterSeconds === 0 ? 0 : wait)
  await database.query(
    `SELECT add_job('play', $1::json, run_at := real_time_of($2), max_attempts := 100, priority := -1)`,
    [JSON.stringify(job), dueAt],
  )
}

/** Two events are at least this many seconds apart, so that they still arrive in order. */
const shortestGap = 0.1

/** The user's status follows the event's, so that GET /user agrees. */
export async function followKyc(database: QueryClient, { type, uuid, data }: Envelope) {
  if (type !== 'KYC' || typeof data.status !== 'string') return
  await database.query('UPDATE account SET status = $2 WHERE uuid = $1', [uuid, data.status])
}
