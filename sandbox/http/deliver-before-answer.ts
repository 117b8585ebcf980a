import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { emit } from '../deliveries/emit.ts'
import { sampleEvent } from '../scenarios/sample-event.ts'
import { listAccounts } from '../service/accounts.ts'
import { EventTypeSchema } from '../state/event-types.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** Sends an event to an endpoint that was just created, and waits until it has been attempted, for up to 5 s. */
export async function deliverBeforeAnswer({ pool, clock, ids }: Sandbox, created: unknown): Promise<void> {
  const { uuid, subscribed_events } = CreatedEndpointSchema.parse(created)
  const [oldest] = await listAccounts(pool)
  const eventId = ids.uuid('event')
  const envelope = sampleEvent(ids, subscribed_events?.[0] ?? 'KYC', oldest, clock.now())
  await emit(pool, clock, eventId, envelope, JSON.stringify(envelope), uuid)

  const attempted = async () => {
    const { rowCount } = await pool.query(
      'SELECT 1 FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.event_id = $1',
      [eventId],
    )
    return rowCount !== 0
  }
  const deadline = performance.now() + longestWaitMs
  while (!(await attempted()) && performance.now() < deadline) await sleep(20)
}

const longestWaitMs = 5_000

const CreatedEndpointSchema = z.object({
  uuid: z.uuid(),
  subscribed_events: z.array(EventTypeSchema).optional(),
})
