import 'server-only'
import type { z } from 'zod'
import { headerValueSchema, ServiceError, uuidSchema } from './errors.ts'
import {
  createServiceClock,
  type Deadline,
  exchange,
  type Incoming,
  type Outgoing,
  type ServiceClock,
  startDeadline,
} from './exchange.ts'

/** A user-scoped call is about this person's data (§5.1): it names the session, or the uuid where the call accepts one. */
export type OnBehalfOf = { readonly serviceSessionId: string } | { readonly userUuid: string }

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path is relative to `baseUrl`; `{id}` is replaced by `id`. */
  readonly path: `/${string}`
  /** `id` is the uuid for `{id}` in the path. */
  readonly id?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  readonly onBehalfOf?: OnBehalfOf
  /** These parts of the body must not come back in an error. */
  readonly secrets?: readonly string[]
}

/** The client calls the service with the merchant's API key, which nothing can read back. Resources are functions on it. */
export interface ServiceClient {
  readonly baseUrl: string
  readonly clock: ServiceClock
  /** `request` sends, and parses the JSON of the response with `answer`. */
  request<Answer>(request: ServiceRequest, answer: z.ZodType<Answer>): Promise<Answer>
  /** `send` leaves the body of the response unread. With `status`, only that status is success. */
  send(request: ServiceRequest, status?: number): Promise<void>
}

export interface ServiceSettings {
  /** `baseUrl` is an absolute http(s) address with the onboarding path prefix. */
  readonly baseUrl: URL | string
  /** A function returns the key for each call, so that the key can change. */
  readonly apiKey: string | (() => string)
  /** The limit covers a whole call with its retry. Default 10,000. */
  readonly timeoutMs?: number
  /** The client calls this when the service answered 401 to a call that needs only the API key. */
  readonly onKeyRefused?: () => void
}

/** A call that may be retried is retried once, after this many milliseconds. */
const repeatDelayMs = 250

/**
 * The client calls the service at `baseUrl`. GET and DELETE are retried once after a broken connection or a 5xx, other calls
 * never. It throws a TypeError when a setting is unusable; the message does not contain the key.
 */
export function createServiceClient({
  baseUrl,
  apiKey,
  timeoutMs = 10_000,
  onKeyRefused = () => undefined,
}: ServiceSettings): ServiceClient {
  const base = parseBaseUrl(baseUrl)
  const readKey = typeof apiKey === 'string' ? () => apiKey : apiKey
  requireHeaderValue(readKey())
  if (!(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1)) throw new TypeError('timeoutMs must be above 0')

  const clock = createServiceClock()

  async function send(request: ServiceRequest, wantsBody: boolean): Promise<Incoming> {
    const outgoing = { ...prepare(base, readKey(), request), clock }
    const deadline = startDeadline(timeoutMs)
    try {
      return await exchangeOrRepeat(outgoing, deadline, wantsBody)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthorized' && needsKeyAlone(request))
        onKeyRefused()
      throw error
    } finally {
      deadline.release()
    }
  }

  return Object.freeze({
    baseUrl: base,
    clock,
    async request<Answer>(request: ServiceRequest, answer: z.ZodType<Answer>) {
      const incoming = await send(request, true)
      const parsed = answer.safeParse(incoming.json)
      if (parsed.success) return parsed.data
      throw nonsense(request, incoming.status, `at ${parsed.error.issues[0]?.path.join('.') || 'body'}`)
    },
    async send(request: ServiceRequest, status?: number) {
      const incoming = await send(request, false)
      if (status !== undefined && incoming.status !== status) {
        throw nonsense(request, incoming.status, `not ${status}`)
      }
    },
  })
}

function requireHeaderValue(apiKey: string) {
  if (!headerValueSchema.safeParse(apiKey).success)
    throw new TypeError('The API key must be visible ASCII characters without spaces')
}

function parseBaseUrl(given: URL | string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl must be an http(s) address')
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must hold no user, password, query or fragment')
  }
  return url.href.replace(/\/+$/, '')
}

function routeOf(request: ServiceRequest): string {
  return `${request.method} ${request.path}`
}

function prepare(base: string, apiKey: string, request: ServiceRequest): Omit<Outgoing, 'clock'> {
  const { sessionId, headers } = identify(request)
  const body = request.body === undefined ? null : JSON.stringify(request.body)
  return {
    route: routeOf(request),
    method: request.method,
    url: base + pathOf(request) + queryOf(request),
    headers: {
      accept: 'application/json',
      authorization: apiKey, // the raw key, no scheme (§5.1)
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
    secrets: [apiKey, ...(sessionId === null ? [] : [sessionId]), ...(request.secrets ?? [])],
  }
}

function identify(request: ServiceRequest): { sessionId: string | null; headers: Record<string, string> } {
  const { onBehalfOf } = request
  if (onBehalfOf === undefined) return { sessionId: null, headers: {} }
  if ('userUuid' in onBehalfOf) {
    if (!uuidSchema.safeParse(onBehalfOf.userUuid).success)
      throw new ServiceError(routeOf(request), { code: 'not-found' })
    return { sessionId: null, headers: { 'user-uuid': onBehalfOf.userUuid } }
  }
  const sessionId = onBehalfOf.serviceSessionId
  // The error of `fetch` would contain an unusable header value.
  if (!headerValueSchema.safeParse(sessionId).success) {
    throw new ServiceError(routeOf(request), { code: 'unauthorized' })
  }
  return { sessionId, headers: { 'service-session-id': sessionId } }
}

/** An id that is not a uuid names nothing (§2.3), and could change the path. */
function pathOf(request: ServiceRequest): string {
  if (!request.path.includes('{id}')) return request.path
  const id = uuidSchema.safeParse(request.id)
  if (!id.success) throw new ServiceError(routeOf(request), { code: 'not-found' })
  return request.path.replace('{id}', encodeURIComponent(id.data))
}

function queryOf(request: ServiceRequest): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, value)
  }
  return query.size === 0 ? '' : `?${query}`
}

/** A sign-in, or a call for somebody, can be answered 401 because of the credentials it carries beside the key (§7). */
const needsKeyAlone = ({ onBehalfOf, secrets = [] }: ServiceRequest) =>
  onBehalfOf === undefined && secrets.length === 0

async function exchangeOrRepeat(
  outgoing: Outgoing,
  deadline: Deadline,
  wantsBody: boolean,
): Promise<Incoming> {
  try {
    return await exchange(outgoing, deadline, wantsBody)
  } catch (error) {
    if (!(error instanceof ServiceError) || !isWorthRepeating(outgoing, error)) throw error
    return await repeat(outgoing, deadline, wantsBody, error)
  }
}

function isWorthRepeating({ method }: Outgoing, error: ServiceError): boolean {
  if (method !== 'GET' && method !== 'DELETE') return false
  if (error.retryAfterSeconds) return false
  return error.code === 'unreachable' || error.code === 'unavailable'
}

async function repeat(
  outgoing: Outgoing,
  deadline: Deadline,
  wantsBody: boolean,
  first: ServiceError,
): Promise<Incoming> {
  if (!(await deadline.wait(repeatDelayMs))) throw first
  try {
    return await exchange(outgoing, deadline, wantsBody)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // The first DELETE, or somebody else, removed it before the retry.
    if (outgoing.method === 'DELETE' && error.code === 'not-found') return { status: 204, json: undefined }
    if (!first.mayHaveTakenEffect || error.mayHaveTakenEffect) throw error
    // A refusal of the repeat does not undo what the first call may have done.
    if (error.status === null) throw first
    throw new ServiceError(outgoing.route, { ...error, status: error.status, mayHaveTakenEffect: true })
  }
}

function nonsense(request: ServiceRequest, status: number, detail: string): ServiceError {
  const mayHaveTakenEffect = request.method !== 'GET'
  return new ServiceError(routeOf(request), { code: 'nonsense', status, detail, mayHaveTakenEffect })
}
