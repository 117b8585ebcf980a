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
 * The POST has exactly the headers of §5.5 and follows no redirect. It never throws: when no head of an answer arrives
 * within `timeoutMs`, the result is `unanswered` with a reason. ASSUMED: the status alone counts, whether its body is late,
 * cut or no HTTP. The result has as much of the body as came within a second.
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
    /** From the head of the answer on, every end of the exchange is this. */
    let answered: (() => void) | undefined
    const unanswered = (failure: string) => (answered ? answered() : resolve({ kind: 'unanswered', failure }))
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
        if (!answered && closed && outgoing.reusedSocket) resolve({ kind: 'closed', failure })
        else unanswered(failure)
      })
      // Node ends a request without an error when nobody listens for a change of protocol.
      outgoing.on('upgrade', (incoming, socket) => {
        socket.destroy()
        resolve({ kind: 'answered', status: incoming.statusCode ?? 0, body: '' })
      })
      outgoing.on('close', () => unanswered('closed without an answer'))
      outgoing.on('response', (incoming) => {
        let [text, read] = ['', 0]
        const { statusCode: status = 0 } = incoming
        const end = () => resolve({ kind: 'answered', status, body: text.slice(0, keptLength) })
        answered = end
        const timer = setTimeout(() => incoming.destroy(), mostBodyMs)
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => {
          if (text.length < keptLength) text += chunk
          read += chunk.length
          if (read > mostBodyLength) incoming.destroy()
        })
        incoming.on('error', end)
        incoming.on('end', end)
        incoming.on('close', () => {
          clearTimeout(timer)
          end()
        })
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

/** The body is read up to this many milliseconds and characters, so that the receiver can finish it. */
const [mostBodyMs, mostBodyLength] = [1_000, 64 * 1024]

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

/** A delivery was sent as it then was. `sendCopies` sends it again as often as a fault wants, and ignores the answers. */
interface Sent<Delivery> {
  readonly delivery: Delivery
  readonly answer: DeliveryAnswer
  sendCopies(): Promise<void>
}

/**
 * Active faults strike the deliveries sent through this function. `renew` reads what a delivery carries now, and where to;
 * it is asked after each wait. The result is undefined for a held delivery that must not be sent any more. Nothing is held
 * or repeated beyond a reset or `stopping`.
 */
export function createFaultySend<Delivery extends DeliveryRequest>(
  faults: Faults,
  stopping: AbortSignal,
  renew: (delivery: Delivery) => Promise<Delivery | undefined>,
) {
  const held = new Map<string, AbortController>()

  return async (endpoint: string, given: Delivery): Promise<Sent<Delivery> | undefined> => {
    const cleared = faults.cleared()
    const overtaken = held.get(endpoint)
    held.delete(endpoint)
    const holds = !overtaken && faults.consumeFault('reorder', { endpoint })
    if (holds) await holdBack(endpoint, cleared)
    if (holds && stopping.aborted) return undefined
    const delivery = holds ? await renew(given) : given
    if (!delivery) return undefined
    const answer = await send(delivery)
    overtaken?.abort()
    const duplicate = answer.kind === 'answered' && faults.consumeFault('duplicate', { endpoint })
    return {
      delivery,
      answer,
      sendCopies: () => sendCopies(delivery, duplicate ? duplicate.times : 0, cleared),
    }
  }

  /** The delivery waits until the next one to its endpoint is sent, so that the two change places. */
  async function holdBack(endpoint: string, cleared: AbortSignal) {
    const release = new AbortController()
    held.set(endpoint, release)
    const signal = AbortSignal.any([release.signal, cleared, stopping])
    await sleep(maxHoldMs, undefined, { signal }).catch(endedEarly)
    if (held.get(endpoint) === release) held.delete(endpoint)
  }

  /** Copies are sent one after the other. */
  async function sendCopies(delivery: Delivery, times: number, cleared: AbortSignal) {
    for (let copy = 0; copy < times; copy++) {
      const now = await renew(delivery)
      const stop = AbortSignal.any([cleared, stopping])
      if (!now || stop.aborted) return
      await send({ ...now, stop })
    }
  }
}

/** The wait was aborted. */
const endedEarly = () => undefined

/** A delivery waits at most this many real milliseconds to be overtaken, and is then sent alone. */
const maxHoldMs = 2_000

export interface Attempt {
  readonly endpointUuid: string
  readonly deliveryId: string
  readonly deliveryNumber: string
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
    SELECT * FROM json_to_recordset($1) AS given (id uuid, delivery bigint, number smallint, url text, started_at timestamptz,
      duration_ms integer, status integer, answer text, failure text, state text, due_at timestamptz)
  ), outcome AS (
    SELECT * FROM json_to_recordset($2) AS outcome (endpoint_uuid uuid, delivered boolean, lost integer)
  ), held AS (
    SELECT uuid FROM webhook_endpoint WHERE uuid IN (SELECT endpoint_uuid FROM outcome) ORDER BY uuid FOR KEY SHARE
  ), moved AS (
    UPDATE delivery d SET state = given.state, attempts = given.number, due_at = COALESCE(given.due_at, d.due_at)
    FROM given, held WHERE d.id = ANY ($4) AND d.id = given.id AND d.number = given.delivery AND d.endpoint_uuid = held.uuid
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
    WHERE w.uuid = held.uuid AND w.uuid = outcome.endpoint_uuid AND w.uuid IN (SELECT endpoint_uuid FROM moved)
      AND (lost > 0 OR (delivered AND lost_in_a_row > 0))
  )
  SELECT add_job('deliver', json_build_object('endpoint', endpoint_uuid),
    run_at := real_time_of(due_at), max_attempts := 100)
  FROM (SELECT DISTINCT endpoint_uuid, due_at FROM moved WHERE state = 'waiting') AS retry`

function toRow({ deliveryId, deliveryNumber, answer, next, endedAt, ...attempt }: Attempt) {
  return {
    id: deliveryId,
    delivery: deliveryNumber,
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
