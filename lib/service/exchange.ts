import 'server-only'
import type { ServiceClock } from './clock.ts'
import type { Deadline } from './deadline.ts'
import { ServiceError, type ServiceErrorFacts } from './errors.ts'
import { readRefusal } from './refusal.ts'

export interface Outgoing {
  /** Method and path template, for errors; holds no id. */
  readonly route: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly secrets: readonly string[]
  /** Is told the time that the answer carries. */
  readonly clock: ServiceClock
}

export interface Incoming {
  readonly status: number
  /** Undefined when not asked for or not JSON. */
  readonly json: unknown
}

/** The largest body that is read, in bytes after decompression. */
export const maxBodyBytes = 5 * 1024 * 1024

/** One request and its 2xx answer, its body unread unless wanted. Everything else throws a `ServiceError`. */
export async function exchange(
  outgoing: Outgoing,
  deadline: Deadline,
  wantsBody: boolean,
): Promise<Incoming> {
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

/** A read takes no effect, whatever became of it. */
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

/** The error of `fetch` is not passed on, since its content is unknown; its code says what the network or TLS refused. */
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

/** The whole body as text, or null when it is larger than allowed. */
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
