import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { drain } from '#lib/platform/http/request-bodies.ts'
import { ownCounter, ownHistogram } from '#lib/platform/metrics.ts'
import { noteRequestId, requestIdOf } from '#lib/platform/tracing.ts'
import { refusalStatuses } from '../rules/refusal-reasons.ts'
import { type Ingest, ingest } from './ingest.ts'
import { receive } from './receive.ts'
import type { BodyOutcome, FindAddress, IngestAnswer, IngestRequest } from './request-and-answer.ts'

const pathPrefix = '/api/webhooks/'

/**
 * `handleDelivery` answers a request under `/api/webhooks/` without Next, which is faster. It returns false for any other
 * request, and leaves that untouched.
 */
export function handleDelivery(
  request: IncomingMessage,
  response: ServerResponse,
  parts: () => Ingest = ingest,
): boolean {
  const url = request.url ?? ''
  if (!url.startsWith(pathPrefix)) return false
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const receiverId = path.slice(pathPrefix.length, path.endsWith('/') ? -1 : undefined)
  if (receiverId === '' || receiverId.includes('/')) return false
  void answer(new NodeRequest(request, receiverId), response, parts())
  return true
}

async function answer(request: IngestRequest, response: ServerResponse, parts: Ingest) {
  const began = performance.now()
  noteRequestId(request.id)
  const given = await receive(request, parts)
  countAnswer(given, performance.now() - began)
  send(given, request.id, response, parts)
}

/** A 2xx answer that was not sent completely is recorded, because the sender will send the delivery again. */
function send(
  { status, headers, body, deliveryId }: IngestAnswer,
  id: string,
  response: ServerResponse,
  parts: Ingest,
) {
  if (deliveryId) {
    const lost = () => parts.lostAnswers.add(deliveryId, 'connection-closed')
    if (response.destroyed || response.closed) return lost()
    response.on('close', () => {
      if (!response.writableFinished) lost()
    })
  }
  drain(response)
  response.writeHead(status, { ...parts.everyAnswer, ...headers, 'x-request-id': id })
  response.end(body)
}

/** `NodeRequest` is a class, so that a delivery creates no closures. */
class NodeRequest implements IngestRequest {
  readonly id: string
  readonly method: string
  readonly receiverId: string
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, receiverId: string) {
    this.id = requestIdOf(request)
    this.method = request.method ?? ''
    this.receiverId = receiverId
    this.#request = request
  }

  header(name: string) {
    return headerOf(this.#request.rawHeaders, name)
  }

  caller(find: FindAddress) {
    return find(this.#request.socket.remoteAddress, this.header('x-forwarded-for'))
  }

  readBody(limit: number, ms: number, reserve: (bytes: number) => boolean) {
    return readBody(this.#request, limit, ms, reserve)
  }
}

/** `raw` has names and values in turn. */
function headerOf(raw: readonly string[], name: string): string | null {
  let joined: string | null = null
  for (let at = 0; at < raw.length; at += 2) {
    const value = raw[at + 1]
    if (value === undefined || raw[at]?.length !== name.length || raw[at]?.toLowerCase() !== name) continue
    joined = joined === null ? value : `${joined}, ${value}`
  }
  return joined
}

function readBody(
  request: IncomingMessage,
  limit: number,
  ms: number,
  reserve: (bytes: number) => boolean,
): Promise<BodyOutcome> {
  // The connection was closed while the secret was checked.
  if (request.destroyed) return Promise.resolve(brokenOff)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let ended = false
    const end = (reading: BodyOutcome) => {
      // A second call would change nothing but cost time, because Node inspects each promise that is resolved twice.
      if (ended) return
      ended = true
      clearTimeout(timer)
      resolve(reading)
    }
    const timer = setTimeout(end, ms, tooSlow)
    // Data after a refusal is read and discarded.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (ended) return
      if (size > limit) end({ kind: 'too-large' })
      else if (!reserve(chunk.length)) end({ kind: 'no-memory' })
      else chunks.push(chunk)
    })
    request.on('end', () => end({ kind: 'read', body: singleOrJoined(chunks) }))
    // The event also comes after the end, and instead of an error, for which there is no listener.
    request.on('close', () => end(brokenOff))
  })
}

const tooSlow: BodyOutcome = { kind: 'too-slow' }
const brokenOff: BodyOutcome = { kind: 'broken-off' }

const singleOrJoined = (chunks: Buffer[]) =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)

const answers = ownCounter({
  name: 'rampart_delivery_answers_total',
  help: 'Requests of senders, by why they were answered so; stored means that the delivery is safe on disk',
  labelNames: ['reason', 'status'],
})

const seconds = ownHistogram(
  { name: 'rampart_delivery_answer_seconds', help: 'Time from the head of a request to its answer' },
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

// A rate needs a value before the first refusal.
for (const [reason, status] of Object.entries({ stored: 200, ...refusalStatuses }))
  answers.inc({ reason, status: String(status) }, 0)

function countAnswer({ reason, status }: IngestAnswer, ms: number): void {
  answers.inc({ reason, status: String(status) })
  seconds.observe(ms / 1_000)
}
