import { addSeconds } from '../clock.ts'
import type { Sandbox } from '../sandbox.ts'
import type { AfterAttempt } from './ladder.ts'
import type { Answer } from './send.ts'

export type Attempt = {
  deliveryId: string
  number: number
  url: string
  startedAt: Date
  durationMs: number
  answer: Answer
  next: AfterAttempt
}

/**
 * Keeps an attempt with its answer, moves its delivery on, queues the retry, and switches an endpoint off that has
 * lost too many deliveries in a row: all in one statement, so that a crash leaves either all of it or nothing.
 */
export async function recordAttempt({ pool, clock, options }: Sandbox, attempt: Attempt): Promise<void> {
  const { answer, next } = attempt
  const dueAt = next.state === 'waiting' ? addSeconds(clock.now(), next.delaySeconds) : null
  await pool.query({
    name: 'record-attempt',
    text: RECORD,
    values: [
      attempt.deliveryId,
      attempt.number,
      attempt.url,
      attempt.startedAt,
      attempt.durationMs,
      answer.kind === 'answered' ? answer.status : null,
      answer.kind === 'answered' ? storable(answer.body) : null,
      answer.kind === 'unanswered' ? answer.failure : null,
      next.state,
      dueAt,
      options.autoDisableAfter,
    ],
  })
}

const RECORD = `
  with moved as (
    update delivery set state = $9, attempts = $2, due_at = coalesce($10, due_at) where id = $1
    returning id, endpoint_uuid
  ), kept as (
    insert into attempt (delivery_id, number, url, started_at, duration_ms, status, answer, failure)
    select id, $2, $3, $4, $5, $6, $7, $8 from moved
  ), counted as (
    update webhook_endpoint w set
      lost_in_a_row = case when $9 = 'lost' then lost_in_a_row + 1 else 0 end,
      status = case when $9 = 'lost' and status = 'active' and $11 > 0 and lost_in_a_row + 1 >= $11
               then 'auto_disabled' else status end
    from moved
    where w.uuid = moved.endpoint_uuid and ($9 = 'lost' or ($9 = 'delivered' and lost_in_a_row > 0))
  )
  select graphile_worker.add_job('deliver', json_build_object('endpoint', endpoint_uuid), run_at := real_time_of($10), max_attempts := 100)
  from moved where $9 = 'waiting'`

/** PostgreSQL stores no NUL. */
const storable = (text: string) => text.replaceAll('\u0000', '\uFFFD')
