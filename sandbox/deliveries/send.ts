import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from '../state/faults.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import type { AfterAttempt } from './retry-schedule.ts'

export type DeliveryAnswer =
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'unanswered'; failure: string }

/**
 * The POST has exactly the headers of §5.5 and follows no redirect. It never throws: when no answer arrives within
 * `timeoutMs`, the result is `unanswered` with a reason.
 */
export async function send(request: DeliveryRequest): Promise<DeliveryAnswer> {
  const signal = AbortSignal.any([AbortSignal.timeout(request.timeoutMs), request.stop])
  const answer = await post(request, signal, agents)
  if (answer.kind !== 'closed') return answer
  // A receiver may close an idle connection just as the next delivery takes it (RFC 9112, 9.3.1). That is no failure.
  const fresh = createAgents()
  const second = await post(request, signal, fresh)
  for (const agent of Object.values(fresh)) agent.destroy()
  return second.kind === 'closed' ? { kind: 'unanswered', failure: second.failure } : second
}

/** `closed` means that a reused connection was closed before an answer came. */
function post(
  request: DeliveryRequest,
  signal: AbortSignal,
  { http: httpAgent, https: httpsAgent }: Agents,
): Promise<DeliveryAnswer | { kind: 'closed'; failure: string }> {
  return new Promise((resolve) => {
    const body = Buffer.from(request.body)
    const unanswered = (failure: string) => resolve({ kind: 'unanswered', failure })
    try {
      const url = new URL(request.url)
      const { request: open } = url.protocol === 'https:' ? https : http
      const outgoing = open(url, {
        method: 'POST',
        agent: url.protocol === 'https:' ? httpsAgent : httpAgent,
        headers: {
          Accept: 'application/json',
          'Content-type': 'application/json',
          Authorization: `API-Key ${request.secret}`,
          'Content-Length': body.length,
        },
        signal,
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const failure = reasonOf(error, request)
        const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
        if (closed && outgoing.reusedSocket) resolve({ kind: 'closed', failure })
        else unanswered(failure)
      })
      outgoing.on('response', (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => {
          if (text.length < keptLength) text += chunk
        })
        incoming.on('error', (error: NodeJS.ErrnoException) => unanswered(reasonOf(error, request)))
        incoming.on('end', () =>
          resolve({ kind: 'answered', status: incoming.statusCode ?? 0, body: text.slice(0, keptLength) }),
        )
      })
      outgoing.end(body)
    } catch (error) {
      unanswered(error instanceof Error ? error.message : 'could not be sent')
    }
  })
}

interface DeliveryRequest {
  readonly url: string
  readonly secret: string
  readonly body: string
  readonly timeoutMs: number
  readonly stop: AbortSignal
}

/** `successStatuses` is `2xx`, or statuses separated by commas (§6.7 does not show which count). */
export function isSuccess(answer: DeliveryAnswer, successStatuses: string) {
  if (answer.kind === 'unanswered') return false
  if (successStatuses === '2xx') return answer.status >= 200 && answer.status < 300
  return successStatuses.split(',').includes(String(answer.status))
}

/** The sandbox keeps at most this many characters of an answer's body. */
const keptLength = 2_000

const pooling = { keepAlive: true, maxFreeSockets: 128, lookup: shareLookups(dns.lookup) }

const createAgents = () => ({ http: new http.Agent(pooling), https: new https.Agent(pooling) })

type Agents = ReturnType<typeof createAgents>

const agents = createAgents()

function reasonOf(error: NodeJS.ErrnoException, { timeoutMs, stop }: DeliveryRequest) {
  if (stop.aborted) return 'the sandbox stopped'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  return error.code ? `${error.code}` : error.message
}

/**
 * Concurrent look-ups of a name share one request. Few names can be looked up at a time, and many deliveries to one dead
 * name would delay all others.
 */
export function shareLookups(lookup: LookupFunction): LookupFunction {
  const asking = new Map<string, Parameters<LookupFunction>[2][]>()
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options])
    const others = asking.get(key)
    if (others) return void others.push(callback)
    const callbacks = [callback]
    asking.set(key, callbacks)
    lookup(hostname, options, (...answer) => {
      asking.delete(key)
      for (const each of callbacks) each(...answer)
    })
  }
}

/** Active faults strike the deliveries sent through this function. */
export function createFaultySend(faults: Faults) {
  const held = new Map<string, AbortController>()

  return async (endpoint: string, delivery: DeliveryRequest): Promise<DeliveryAnswer> => {
    const overtaken = held.get(endpoint)
    held.delete(endpoint)
    if (!overtaken && faults.consumeFault('reorder', { endpoint })) await holdBack(endpoint, delivery.stop)
    const answer = await send(delivery)
    overtaken?.abort()
    const duplicate = answer.kind === 'answered' && faults.consumeFault('duplicate', { endpoint })
    if (duplicate) void sendCopies(delivery, duplicate.times)
    return answer
  }

  /** The delivery waits until the next one to its endpoint is sent, so that the two change places. */
  async function holdBack(endpoint: string, stop: AbortSignal) {
    const release = new AbortController()
    held.set(endpoint, release)
    const signal = AbortSignal.any([release.signal, stop])
    await sleep(maxHoldMs, undefined, { signal }).catch(endedEarly)
    if (held.get(endpoint) === release) held.delete(endpoint)
  }
}

/** The wait was aborted. */
const endedEarly = () => undefined

/** A delivery waits at most this many real milliseconds to be overtaken, and is then sent alone. */
const maxHoldMs = 2_000

/** Copies are sent one after the other. Their answers are ignored, because the delivery has its answer already. */
async function sendCopies(delivery: DeliveryRequest, times: number) {
  for (let copy = 0; copy < times; copy++) await send(delivery)
}

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
