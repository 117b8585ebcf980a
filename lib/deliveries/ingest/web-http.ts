import 'server-only'
import crypto from 'node:crypto'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { drainMs } from '#lib/platform/http/request-bodies.ts'
import { ingest } from './ingest.ts'
import { receive } from './receive.ts'
import type { BodyOutcome } from './request-and-answer.ts'

/**
 * `receiveWebRequest` serves the API route, for hosts where our own server cannot run. It calls the same `receive` with the
 * web's request and response.
 */
export async function receiveWebRequest(request: Request, receiverId: string): Promise<Response> {
  const parts = ingest()
  const id = crypto.randomUUID()
  const answer = await receive(
    {
      id,
      method: request.method,
      receiverId,
      header: (name) => request.headers.get(name),
      caller: () => lastForwarded(request.headers.get('x-forwarded-for')),
      readBody: (limit, ms, reserve) => readBody(request, limit, ms, reserve),
    },
    parts,
  )
  if (request.body && !request.body.locked) void forget(request.body.getReader())
  if (answer.deliveryId && request.signal.aborted)
    parts.lostAnswers.add(answer.deliveryId, 'connection-closed')
  return new Response(answer.body, {
    status: answer.status,
    headers: { ...parts.everyAnswer, ...answer.headers, 'x-request-id': id },
  })
}

/** The error is ignored, because a body that cannot be cancelled has ended by itself. */
const alreadyGone = () => undefined

/** The sender disconnected, which is an ordinary outcome. */
const brokenOff = () => 'broken-off' as const

async function readBody(
  request: Request,
  limit: number,
  ms: number,
  reserve: (bytes: number) => boolean,
): Promise<BodyOutcome> {
  const reader = request.body?.getReader()
  if (!reader) return { kind: 'read', body: new Uint8Array() }
  const late = Promise.withResolvers<'too-slow'>()
  const timer = setTimeout(() => late.resolve('too-slow'), ms)
  const chunks: Uint8Array[] = []
  const refuse = (kind: 'too-slow' | 'too-large' | 'no-memory') => {
    void forget(reader)
    return { kind }
  }
  try {
    for (let size = 0; ; ) {
      const part = await Promise.race([reader.read().catch(brokenOff), late.promise])
      if (part === 'too-slow') return refuse(part)
      if (part === 'broken-off') return { kind: part }
      if (part.done) return { kind: 'read', body: Buffer.concat(chunks) }
      size += part.value.length
      if (size > limit) return refuse('too-large')
      if (!reserve(part.value.length)) return refuse('no-memory')
      chunks.push(part.value)
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * `forget` reads the rest of a refused body for a while, as `drain` does in Node. A connection that closes before would be
 * reset.
 */
async function forget(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const late = setTimeout(() => void reader.cancel().catch(alreadyGone), drainMs)
  for (;;) {
    const part = await reader.read().catch(brokenOff)
    if (part === 'broken-off' || part.done) break
  }
  clearTimeout(late)
}
