import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { shareLookups } from './share-lookups.ts'

export type DeliveryAnswer =
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'unanswered'; failure: string }

/**
 * One POST with exactly the headers of §5.5, redirects not followed. Never throws: whatever keeps an answer from
 * arriving within `timeoutMs` is an `unanswered` with its reason.
 */
export function send(request: DeliveryRequest): Promise<DeliveryAnswer> {
  return new Promise((resolve) => {
    const body = Buffer.from(request.body)
    const unanswered = (failure: string) => resolve({ kind: 'unanswered', failure })
    try {
      const url = new URL(request.url)
      const { request: open } = url.protocol === 'https:' ? https : http
      const outgoing = open(url, {
        method: 'POST',
        agent: url.protocol === 'https:' ? agents.https : agents.http,
        headers: {
          Accept: 'application/json',
          'Content-type': 'application/json',
          Authorization: `API-Key ${request.secret}`,
          'Content-Length': body.length,
        },
        signal: AbortSignal.any([AbortSignal.timeout(request.timeoutMs), request.stop]),
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => unanswered(reasonOf(error, request)))
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

export interface DeliveryRequest {
  readonly url: string
  readonly secret: string
  readonly body: string
  readonly timeoutMs: number
  readonly stop: AbortSignal
}

/** `successStatuses` is `2xx`, or statuses with commas between (§6.7 does not show which count). */
export function isSuccess(answer: DeliveryAnswer, successStatuses: string) {
  if (answer.kind === 'unanswered') return false
  if (successStatuses === '2xx') return answer.status >= 200 && answer.status < 300
  return successStatuses.split(',').includes(String(answer.status))
}

/** Characters of an answer's body that are kept to be looked at. */
const keptLength = 2_000

const pooling = { keepAlive: true, maxFreeSockets: 128, lookup: shareLookups(dns.lookup) }

const agents = { http: new http.Agent(pooling), https: new https.Agent(pooling) }

function reasonOf(error: NodeJS.ErrnoException, { timeoutMs, stop }: DeliveryRequest) {
  if (stop.aborted) return 'the sandbox stopped'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  return error.code ? `${error.code}` : error.message
}
