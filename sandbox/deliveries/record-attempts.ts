import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import type { AfterAttempt } from './retry-schedule.ts'
import type { DeliveryAnswer } from './send.ts'

export interface Attempt {
  endpointUuid: string
  deliveryId: string
  number: number
  url: string
  /** On the sandbox's clock; the duration is real. */
  startedAt: Date
  endedAt: Date
  durationMs: number
  answer: DeliveryAnswer
  next: AfterAttempt
}

/**
 * Stores attempts with their answers, updates their deliveries, queues retries, and disables an endpoint that
 * lost too many deliveries in a row, all in one statement, so that a crash leaves all of it or nothing.
 */
export async function recordAttempts(
  { pool, options }: Pick<Sandbox, 'pool' | 'options'>,
  attempts: readonly Attempt[],
): Promise<void> {
  // Not a prepared statement: its plan for the small tables of a new sandbox would be kept. The ids are
  // passed separately, as the planner cannot estimate JSON. themselves, as the planner can count those and
  // nothing inside JSON.
  await pool.query(RECORD, [
    JSON.stringify(attempts.map(toRow)),
    JSON.stringify(countLost(attempts)),
    options.autoDisableAfter,
    attempts.map(({ deliveryId }) => deliveryId),
  ])
}

/** Endpoints are held before deliveries, as whoever deletes one does: no two statements wait for each other. */
const RECORD = `
  with given as (
    select * from json_to_recordset($1) as given (id uuid, number smallint, url text, started_at timestamptz,
      duration_ms integer, status integer, answer text, failure text, state text, due_at timestamptz)
  ), outcome as (
    select * from json_to_recordset($2) as outcome (endpoint_uuid uuid, delivered boolean, lost integer)
  ), held as (
    select uuid from webhook_endpoint where uuid in (select endpoint_uuid from outcome) order by uuid for key share
  ), moved as (
    update delivery d set state = given.state, attempts = given.number, due_at = coalesce(given.due_at, d.due_at)
    from given, held where d.id = any ($4) and d.id = given.id and d.endpoint_uuid = held.uuid
    returning d.endpoint_uuid, given.*
  ), kept as (
    insert into attempt (delivery_id, number, url, started_at, duration_ms, status, answer, failure)
    select id, number, url, started_at, duration_ms, status, answer, failure from moved
  ), counted as (
    update webhook_endpoint w set
      lost_in_a_row = lost + case when delivered then 0 else lost_in_a_row end,
      status = case
        when status = 'active' and $3 > 0 and lost + case when delivered then 0 else lost_in_a_row end >= $3
        then 'auto_disabled' else status end
    from outcome, held
    where w.uuid = held.uuid and w.uuid = outcome.endpoint_uuid
      and (lost > 0 or (delivered and lost_in_a_row > 0))
  )
  select graphile_worker.add_job('deliver', json_build_object('endpoint', endpoint_uuid),
    run_at := real_time_of(due_at), max_attempts := 100)
  from (select distinct endpoint_uuid, due_at from moved where state = 'waiting') as retry`

function toRow({ deliveryId, answer, next, endedAt, ...attempt }: Attempt) {
  return {
    id: deliveryId,
    number: attempt.number,
    url: attempt.url,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: answer.kind === 'answered' ? answer.status : null,
    answer: answer.kind === 'answered' ? storable(answer.body) : null,
    failure: answer.kind === 'unanswered' ? storable(answer.failure) : null,
    state: next.state,
    due_at: next.state === 'waiting' ? addSeconds(endedAt, next.delaySeconds) : null,
  }
}

/** Per endpoint: whether a delivery got through, and how many were lost after the last that did, or in all. */
function countLost(attempts: readonly Attempt[]) {
  const outcomes = new Map<string, { delivered: boolean; lost: number }>()
  for (const { endpointUuid, next } of attempts) {
    const { delivered, lost } = outcomes.get(endpointUuid) ?? { delivered: false, lost: 0 }
    if (next.state === 'delivered') outcomes.set(endpointUuid, { delivered: true, lost: 0 })
    else outcomes.set(endpointUuid, { delivered, lost: next.state === 'lost' ? lost + 1 : lost })
  }
  return [...outcomes].map(([endpoint_uuid, outcome]) => ({ endpoint_uuid, ...outcome }))
}

/** PostgreSQL stores no NUL and no half of a character. */
const storable = (text: string) => text.toWellFormed().replaceAll('\u0000', '\uFFFD')
