import 'server-only'
import type { z } from 'zod'
import { ServiceError } from './errors.ts'
import {
  createServiceClock,
  type Deadline,
  exchange,
  type Incoming,
  type Outgoing,
  type ServiceClock,
  startDeadline,
} from './exchange.ts'
import { headerValueSchema, uuidSchema } from './wire.ts'

/** Whose data a user-scoped call is about (§5.1): the session, or the uuid where the call accepts it. */
export type OnBehalfOf = { readonly serviceSessionId: string } | { readonly userUuid: string }

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to base_url; `{id}` stands for `id`. */
  readonly path: `/${string}`
  /** Uuid for the path's `{id}`. */
  readonly id?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  readonly onBehalfOf?: OnBehalfOf
  /** What the body carries that must not come back in an error. */
  readonly secrets?: readonly string[]
}

/** Talks to the service with the merchant's API key, which nothing can read back. Resources are functions on it. */
export interface ServiceClient {
  readonly baseUrl: string
  readonly clock: ServiceClock
  /** Sends, and reads the answer's JSON by `answer`. */
  request<Answer>(request: ServiceRequest, answer: z.ZodType<Answer>): Promise<Answer>
  /** Sends, and leaves the answer's body unread. With `status`, only that one is success. */
  send(request: ServiceRequest, status?: number): Promise<void>
}

export interface ServiceSettings {
  /** Absolute http(s) address, with the onboarding path prefix. */
  readonly baseUrl: URL | string
  /** Or what answers it for each call, where it can change. */
  readonly apiKey: string | (() => string)
  /** For a whole call, its repeat included. Default 10,000. */
  readonly timeoutMs?: number
  /** Called when a call that needs the API key alone was answered 401. */
  readonly onKeyRefused?: () => void
}

/** Milliseconds before a call that may be repeated is repeated, once. */
const repeatDelayMs = 250

/**
 * Creates a client for the service at `baseUrl`. GET and DELETE are repeated once after a broken connection
 * or a 5xx; other calls never.
 * @throws TypeError when a setting is unusable; the message does not contain the key
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
  // `fetch` would quote an unusable header value in its error.
  if (!headerValueSchema.safeParse(sessionId).success) {
    throw new ServiceError(routeOf(request), { code: 'unauthorized' })
  }
  return { sessionId, headers: { 'service-session-id': sessionId } }
}

/** An id that is no uuid names nothing (§2.3), and could point the path elsewhere. */
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

/** A sign-in, or a call for somebody, can be answered 401 for the sake of what it proves beside the key (§7). */
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
    // Gone at the second asking: the first one, or somebody else, removed it.
    if (outgoing.method === 'DELETE' && error.code === 'not-found') return { status: 204, json: undefined }
    throw error.status === null && first.mayHaveTakenEffect && !error.mayHaveTakenEffect ? first : error
  }
}

function nonsense(request: ServiceRequest, status: number, detail: string): ServiceError {
  const mayHaveTakenEffect = request.method !== 'GET'
  return new ServiceError(routeOf(request), { code: 'nonsense', status, detail, mayHaveTakenEffect })
}
