import 'server-only'
import { lastForwarded } from '#lib/http/find-address.ts'
import { ingest } from './ingest.ts'
import { receive } from './receive.ts'
import { type BodyOutcome, bodyTimeLimit } from './request.ts'

/** The way of the API route, where a server of our own cannot run: the same `receive`, from and to the web's own objects. */
export async function receiveWebRequest(request: Request, receiverId: string): Promise<Response> {
  const parts = ingest()
  const answer = await receive(
    {
      method: request.method,
      receiverId,
      header: (name) => request.headers.get(name),
      caller: () => lastForwarded(request.headers.get('x-forwarded-for')),
      readBody: (limit, reserve) => readBody(request, limit, reserve),
    },
    parts,
  )
  if (answer.deliveryId && request.signal.aborted)
    parts.lostAnswers.add(answer.deliveryId, 'connection-closed')
  return new Response(answer.body, {
    status: answer.status,
    headers: { ...parts.everyAnswer, ...answer.headers },
  })
}

/** A body that cannot be cancelled has ended by itself. */
const alreadyGone = () => undefined

/** The sender went away: an outcome like any other. */
const brokenOff = () => 'broken-off' as const

async function readBody(
  request: Request,
  limit: number,
  reserve: (bytes: number) => boolean,
): Promise<BodyOutcome> {
  const reader = request.body?.getReader()
  if (!reader) return { kind: 'read', body: new Uint8Array() }
  let slow = false
  const timer = setTimeout(() => {
    slow = true
    void reader.cancel().catch(alreadyGone)
  }, bodyTimeLimit)
  try {
    const chunks: Uint8Array[] = []
    for (let size = 0; ; ) {
      const part = await reader.read().catch(brokenOff)
      if (slow) return { kind: 'too-slow' }
      if (part === 'broken-off') return { kind: 'broken-off' }
      const { done, value } = part
      if (done) return { kind: 'read', body: Buffer.concat(chunks) }
      size += value.length
      const stop = size > limit ? 'too-large' : reserve(value.length) ? undefined : 'no-memory'
      if (stop) {
        void reader.cancel().catch(alreadyGone)
        return { kind: stop }
      }
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
  }
}
