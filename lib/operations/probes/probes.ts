import 'server-only'
import crypto from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import type { OwnKeyCheck } from '#lib/deliveries/ingest/own-key-check.ts'
import { readReadiness } from '#lib/platform/db/migrate.ts'
import { env } from '#lib/platform/env.ts'
import { drain } from '#lib/platform/http/request-bodies.ts'
import { answerHeaders } from '#lib/platform/http/security-headers.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { causeOf } from '#lib/platform/log/limited.ts'
import { release } from '#lib/platform/release.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'

export interface ProbeParts {
  readonly readReasons: ReadReasons
  /** The text has all metrics of this start, as Prometheus reads them. */
  readonly readMetrics: () => Promise<{ readonly type: string; readonly text: string }>
}

const paths = ['/healthz', '/readyz', '/metrics'] as const
type ProbePath = (typeof paths)[number]

/**
 * `answerProbe` answers load balancers and monitoring before anything else looks at the request, so that no probe counts
 * as a visitor. The result is false for every other request. Decision 0148.
 */
export function answerProbe(request: IncomingMessage, response: ServerResponse, parts: ProbeParts): boolean {
  const [asked] = (request.url ?? '').split('?', 1)
  const path = paths.find((known) => known === asked)
  if (path === undefined) return false
  drain(response)
  void answer(path, request, parts)
    .catch(
      (error: unknown): ProbeAnswer => ({
        status: 500,
        text: `${error instanceof Error ? error.name : 'Error'}\n`,
      }),
    )
    .then(({ status, text, type = 'text/plain; charset=utf-8', more = {} }) =>
      response.writeHead(status, { ...answerHeaders(), 'content-type': type, ...more }).end(text),
    )
  return true
}

interface ProbeAnswer {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly more?: Readonly<Record<string, string>>
}

async function answer(path: ProbePath, request: IncomingMessage, parts: ProbeParts): Promise<ProbeAnswer> {
  const more = { allow: 'GET, HEAD, OPTIONS' }
  if (request.method === 'OPTIONS') return { status: 204, text: '', more }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, text: 'Only GET and HEAD are answered here.\n', more }
  if (path === '/healthz') return json(200, { status: 'ok', ...release(), roles: env().roles })
  const { metricsToken } = env()
  const mayKnow = isOfThisMachine(request) || hasToken(request.headers.authorization, metricsToken)
  if (path === '/readyz') {
    const reasons = await parts.readReasons()
    if (reasons.length === 0) return json(200, { status: 'ready' })
    // A proxy may pass this on to the internet.
    return json(503, { status: 'not ready', ...(mayKnow && { reasons }) })
  }
  if (!mayKnow)
    return metricsToken === null
      ? { status: 403, text: 'Metrics are for this machine. For others, set METRICS_TOKEN.\n' }
      : {
          status: 401,
          text: 'The metrics need the token of METRICS_TOKEN.\n',
          more: { 'www-authenticate': 'Bearer' },
        }
  const { type, text } = await parts.readMetrics()
  return { status: 200, type, text }
}

const json = (status: number, value: object): ProbeAnswer => ({
  status,
  text: `${JSON.stringify(value)}\n`,
  type: 'application/json',
})

/**
 * A proxy of this machine connects from loopback too, for callers elsewhere. It names them, or the host that they asked
 * for, so the request must name neither.
 */
export function isOfThisMachine({
  socket,
  headers,
}: Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}): boolean {
  const names = Object.keys(headers)
  if (
    names.some(
      (name) =>
        name === 'forwarded' || name === 'via' || name === 'x-real-ip' || name.startsWith('x-forwarded-'),
    )
  )
    return false
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? ''
  return isLoopbackHost((socket.remoteAddress ?? '').replace(/^::ffff:/i, '')) && isLoopbackHost(host)
}

/** Digests have one length, and the time of their comparison says nothing about the token. */
export function hasToken(authorization: string | undefined, token: string | null): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return token !== null && given !== undefined && crypto.timingSafeEqual(digest(given), digest(token))
}

const digest = (text: string) => crypto.createHash('sha256').update(text).digest()

interface ReadinessParts {
  readonly pool: pg.Pool
  readonly keys: () => Pick<OwnKeyCheck, 'usable' | 'faults'>
  readonly isStopping: () => boolean
}

/** The reasons say why this process should get no requests now; there are none while it is ready. */
type ReadReasons = () => Promise<readonly string[]>

/** The database must answer within this many milliseconds, and a probe gets its answer soon after. */
const answerMs = 1_500

/** Probes share an answer of the database for this many milliseconds, so that a flood of them costs nothing. */
const sharedMs = 500

/** PostgreSQL refuses a write so on a standby, and where `default_transaction_read_only` is on. */
const readOnlyCode = '25006'

const tryToWrite = { text: 'DELETE FROM heartbeat WHERE false', query_timeout: answerMs }

/** `/readyz` answers 503 with these reasons, and 200 without one. They name migrations and keys by their names alone. */
export function openReadiness({ pool, keys, isStopping }: ReadinessParts): ReadReasons {
  let asked: { readonly answer: Promise<readonly string[]>; until: number } | undefined

  async function ask(): Promise<readonly string[]> {
    try {
      const { missing, isReadOnly } = await readReadiness(pool, answerMs)
      // A connection that was made while the database was read-only stays so. The error makes the pool replace it.
      if (isReadOnly) await pool.query(tryToWrite)
      return missing.length === 0 ? [] : [`The database lacks migrations: ${missing.join(', ')}.`]
    } catch (error) {
      if (causeOf(error) === readOnlyCode) return ['The database takes no writes.']
      return [`The database did not answer (${causeOf(error)}).`]
    }
  }

  /** A question that hangs stays the only one. */
  function askDatabase() {
    if (asked && performance.now() < asked.until) return asked.answer
    const answer = ask().finally(() => {
      next.until = performance.now() + sharedMs
    })
    const next = { answer, until: Number.POSITIVE_INFINITY }
    asked = next
    return answer
  }

  return async () => {
    if (isStopping()) return ['This process is stopping.']
    const late = [`The database did not answer within ${answerMs / 1_000} s.`]
    const found = await inTime(askDatabase(), answerMs, late)
    return [...found, ...keyReasons(keys())]
  }
}

function keyReasons({ usable, faults }: Pick<OwnKeyCheck, 'usable' | 'faults'>): string[] {
  if (usable === null) return ['RAMPART_KEYS are not checked yet.']
  return faults.map(({ keyId, kind }) =>
    kind === 'changed'
      ? `RAMPART_KEYS: the key ${keyId} is not the one that this database knows.`
      : `RAMPART_KEYS: the key ${keyId} is missing.`,
  )
}
