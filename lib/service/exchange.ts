import 'server-only'
import { traceWork } from '#lib/platform/tracing.ts'
import { readRefusal, ServiceError, type ServiceErrorFacts } from './errors.ts'

export interface Outgoing {
  /** The error names this method and path template, which hold no id. */
  readonly route: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly secrets: readonly string[]
  /** The clock reads the time of the response. */
  readonly clock: ServiceClock
}

export interface Incoming {
  readonly status: number
  /** `json` is undefined when it was not asked for or is not JSON. */
  readonly json: unknown
}

/** A larger body is not read; the size is in bytes after decompression. */
export const maxBodyBytes = 5 * 1024 * 1024

/**
 * This sends one request and returns its 2xx response; the body is read only when wanted. Everything else
 * throws a `ServiceError`.
 */
export const exchange = (outgoing: Outgoing, deadline: Deadline, wantsBody: boolean): Promise<Incoming> =>
  traceWork(
    outgoing.route,
    { 'http.request.method': outgoing.method },
    () => callService(outgoing, deadline, wantsBody),
    'client',
  )

async function callService(outgoing: Outgoing, deadline: Deadline, wantsBody: boolean): Promise<Incoming> {
  const response = await sendRequest(outgoing, deadline)
  if (!response.ok) throw await refusalOf(outgoing, response)
  if (!wantsBody) {
    await discard(response)
    return { status: response.status, json: undefined }
  }
  const text = await readText(response).catch((error) => {
    throw interruptedFailure(outgoing, deadline, error)
  })
  if (text === null) {
    throw serviceFailure(outgoing, {
      code: 'nonsense',
      status: response.status,
      mayHaveTakenEffect: true,
      detail: `body above ${maxBodyBytes} bytes`,
    })
  }
  return { status: response.status, json: parseJson(text) }
}

/** A read changes nothing, however it failed. */
function serviceFailure({ route, method }: Outgoing, facts: ServiceErrorFacts): ServiceError {
  const mayHaveTakenEffect = method !== 'GET' && facts.mayHaveTakenEffect === true
  return new ServiceError(route, { ...facts, mayHaveTakenEffect })
}

async function sendRequest(outgoing: Outgoing, deadline: Deadline): Promise<Response> {
  try {
    const response = await fetch(outgoing.url, {
      method: outgoing.method,
      headers: outgoing.headers,
      body: outgoing.body,
      signal: deadline.signal,
      redirect: 'manual',
      cache: 'no-store',
    })
    outgoing.clock.read(response.headers.get('date'))
    return response
  } catch (error) {
    throw interruptedFailure(outgoing, deadline, error)
  }
}

async function refusalOf(outgoing: Outgoing, response: Response): Promise<ServiceError> {
  const text = await readText(response).catch(leaveToStatus)
  const retryAfter = response.headers.get('retry-after')
  return serviceFailure(
    outgoing,
    readRefusal(response.status, retryAfter, parseJson(text ?? ''), outgoing.secrets),
  )
}

/** The error of `fetch` is not passed on, because its content is unknown; its code says what the network or TLS refused. */
function interruptedFailure(outgoing: Outgoing, deadline: Deadline, error: unknown): ServiceError {
  return serviceFailure(outgoing, {
    code: deadline.signal.aborted ? 'timed-out' : 'unreachable',
    mayHaveTakenEffect: !neverConnected(error),
    ...codeOfCause(error),
  })
}

function codeOfCause(error: unknown): Pick<ServiceErrorFacts, 'detail'> {
  const code =
    error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? { detail: code } : {}
}

const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && connectFailures.has(String(cause.code))
}

/** The whole body is read as text; null when it is larger than allowed. */
async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(leaveToStatus)
}

/** The status is known; a body that breaks off or never ends must not hide it. */
const leaveToStatus = () => null

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One deadline covers a whole call: connection, headers, body and the retry if there is one. */
export interface Deadline {
  /** The signal aborts when the time is over. */
  readonly signal: AbortSignal
  /** `wait` returns false when the deadline ended first. */
  wait(milliseconds: number): Promise<boolean>
  /** `release` frees the timer. */
  release(): void
}

export function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  return {
    signal: controller.signal,
    wait: (milliseconds) => waitMs(milliseconds, controller.signal),
    release: () => clearTimeout(timer),
  }
}

function waitMs(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve(!signal.aborted)
    }
    const timer = setTimeout(finish, milliseconds)
    signal.addEventListener('abort', finish)
  })
}

/** `ServiceClock` knows the difference between the service's clock and ours. */
export interface ServiceClock {
  /** `read` takes the `Date` header of a response that has just arrived. */
  read(date: string | null): void
  /** `offsetMs` is added to our time; null while no response gave a time, or when none did within the last `withinMs`. */
  offsetMs(withinMs?: number): number | null
}

/**
 * The clock keeps the time of the latest response. The header has whole seconds and was written before it arrived, so the
 * derived time is never later than the service's, and at most a second and the way back earlier.
 * @param elapsed the monotonic clock, in ms, because ours may be set meanwhile
 */
export function createServiceClock(
  now: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): ServiceClock {
  let known: { readonly offsetMs: number; readonly readAt: number } | null = null
  return {
    read(date) {
      const time = Date.parse(date ?? '')
      if (Number.isNaN(time)) return
      known = { offsetMs: time - now(), readAt: elapsed() }
    },
    offsetMs: (withinMs = Number.POSITIVE_INFINITY) =>
      known && elapsed() - known.readAt <= withinMs ? known.offsetMs : null,
  }
}
