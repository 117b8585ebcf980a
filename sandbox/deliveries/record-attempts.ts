import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import type { AfterAttempt } from './retry-schedule.ts'
import type { DeliveryAnswer } from './send.ts'

export interface Attempt {
  readonly endpointUuid: string
  readonly deliveryId: string
  readonly number: number
  readonly url: string
  /** The times are the sandbox's clock. The duration is real. */
  readonly startedAt: Date
  readonly endedAt: Date
  readonly durationMs: number
  readonly answer: DeliveryAnswer
  readonly next: AfterAttempt
}

/**
 * One statement stores attempts, updates deliveries, queues retries and disables an endpoint that lost too many deliveries
 * in a row. A crash therefore leaves all of it or nothing.
 */
export async function recordAttempts(
  { pool, options }: Pick<Sandbox, 'pool' | 'options'>,
  attempts: readonly Attempt[],
): Promise<void> {
  // The statement is not prepared, because PostgreSQL would keep its plan for a new sandbox's small tables. The ids are
  // separate, because the planner can count those and nothing inside JSON.
  await pool.query(RECORD, [
    JSON.stringify(attempts.map(toRow)),
    JSON.stringify(countLost(attempts)),
    options.autoDisableAfter,
    attempts.map(({ deliveryId }) => deliveryId),
  ])
}

/** The statement locks endpoints before deliveries, as deleting an endpoint does, so that two statements never deadlock. */
const RECORD = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1) AS given (id uuid, number smallint, url text, started_at timestamptz,
      duration_ms integer, status integer, answer text, failure text, state text, due_at timestamptz)
  ), outcome AS (
    SELECT * FROM json_to_recordset($2) AS outcome (endpoint_uuid uuid, delivered boolean, lost integer)
  ), held AS (
    SELECT uuid FROM webhook_endpoint WHERE uuid IN (SELECT endpoint_uuid FROM outcome) ORDER BY uuid FOR KEY SHARE
  ), moved AS (
    UPDATE delivery d SET state = given.state, attempts = given.number, due_at = COALESCE(given.due_at, d.due_at)
    FROM given, held WHERE d.id = ANY ($4) AND d.id = given.id AND d.endpoint_uuid = held.uuid
    RETURNING d.endpoint_uuid, given.*
  ), kept AS (
    INSERT INTO attempt (delivery_id, number, url, started_at, duration_ms, status, answer, failure)
    SELECT id, number, url, started_at, duration_ms, status, answer, failure FROM moved
  ), counted AS (
    UPDATE webhook_endpoint w SET
      lost_in_a_row = lost + CASE WHEN delivered THEN 0 ELSE lost_in_a_row END,
      status = CASE
        WHEN status = 'active' AND $3 > 0 AND lost + CASE WHEN delivered THEN 0 ELSE lost_in_a_row END >= $3
        THEN 'auto_disabled' ELSE status END
    FROM outcome, held
    WHERE w.uuid = held.uuid AND w.uuid = outcome.endpoint_uuid
      AND (lost > 0 OR (delivered AND lost_in_a_row > 0))
  )
  SELECT add_job('deliver', json_build_object('endpoint', endpoint_uuid),
    run_at := real_time_of(due_at), max_attempts := 100)
  FROM (SELECT DISTINCT endpoint_uuid, due_at FROM moved WHERE state = 'waiting') AS retry`

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

/** The count says for each endpoint whether a delivery got through, and how many were lost after the last success. */
function countLost(attempts: readonly Attempt[]) {
  const outcomes = new Map<string, { delivered: boolean; lost: number }>()
  for (const { endpointUuid, next } of attempts) {
    const { delivered, lost } = outcomes.get(endpointUuid) ?? { delivered: false, lost: 0 }
    if (next.state === 'delivered') outcomes.set(endpointUuid, { delivered: true, lost: 0 })
    else outcomes.set(endpointUuid, { delivered, lost: next.state === 'lost' ? lost + 1 : lost })
  }
  return [...outcomes].map(([endpoint_uuid, outcome]) => ({ endpoint_uuid, ...outcome }))
}

/** PostgreSQL stores neither NUL nor half a character. */
const storable = (text: string) => text.toWellFormed().replaceAll('\u0000', '\uFFFD')
