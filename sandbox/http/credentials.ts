import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { emit } from '../deliveries/emit.ts'
import { sampleEvent } from '../scenarios/catalogue.ts'
import { type Account, listAccounts, requireAccount } from '../service/accounts.ts'
import { badRequest, Refusal, unauthorized } from '../service/refusal.ts'
import { findSessionUser, sayWhatSession } from '../service/sessions.ts'
import { EventTypeSchema } from '../state/event-types.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Options } from '../state/options.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { saysRetryAfter } from './shapes.ts'

export interface CallerVariables {
  readonly Variables: { readonly account: Account }
}

/** Every call carries the raw API key, without a Bearer prefix (§5.1). ASSUMED: 401 otherwise. */
export function requireApiKey(apiKey: string): MiddlewareHandler {
  const expected = digest(apiKey)
  return async (context, next) => {
    const given = context.req.header('authorization')
    if (!given || !timingSafeEqual(digest(given), expected))
      throw unauthorized('The API key is missing or wrong', {
        where: 'header Authorization',
        rule: keyRule(given),
      })
    await next()
  }
}

/**
 * A control call needs no key. A call with a wrong key is refused, so that it does not act on a namespace that its caller
 * did not mean.
 */
export function requireOwnKey(apiKey: string): MiddlewareHandler {
  return async (context, next) => {
    const given = context.req.header('authorization')
    if (given !== undefined && given !== apiKey)
      throw unauthorized('No namespace has this API key', {
        where: 'header Authorization',
        rule: 'must be the key of a namespace, or be left out for the sandbox itself',
      })
    await next()
  }
}

function keyRule(given: string | undefined) {
  if (!given) return 'must be the API key; it is missing'
  if (/^(Bearer|Basic|API-Key)\s/i.test(given))
    return 'must be the API key alone, without a word before it (§5.1)'
  return 'must be the API key; it is another text'
}

/** The headers belong to user-scoped calls. ASSUMED: when both are given, they must name the same user. */
export const UserHeadersSchema = z.object({
  'service-session-id': z
    .string()
    .optional()
    .openapi({ example: 'Qm3kZ0r9YtB6wXn2LpVc8HsDf4JgAe7u' })
    .describe('The session that a login answered (§5.1). Required unless user-uuid is sent.'),
  // A uuid in the document would be an object in Python's generated clients, which headers do not take.
  'user-uuid': z
    .string()
    .optional()
    .openapi({ example: '0b6f9a52-7c1e-4d38-9a47-5e2f8c3d1b60' })
    .describe(
      'The user’s uuid, for server-to-server use (§5.1). Required unless service-session-id is sent.',
    ),
})

/** A user-scoped read carries the session, or the user's uuid for server-to-server use (§5.1). */
export const requireSessionOrUser =
  (sandbox: Sandbox): MiddlewareHandler<CallerVariables> =>
  async (context, next) => {
    const { 'service-session-id': session, 'user-uuid': uuid } = context.req.header()
    if (!session && !uuid)
      throw unauthorized('service-session-id or user-uuid is required', {
        where: 'header service-session-id',
        rule: 'must be sent, or user-uuid instead',
      })
    const sessionUser = session ? await findSessionUser(sandbox, session) : undefined
    if (session && !sessionUser)
      throw unauthorized('The session is invalid or has expired', {
        where: 'header service-session-id',
        rule: await sayWhatSession(sandbox, session),
      })
    if (uuid && !UuidSchema.safeParse(uuid).success)
      throw badRequest('user-uuid: must be a uuid', { where: 'header user-uuid', rule: 'must be a uuid' })
    if (uuid && sessionUser && uuid.toLowerCase() !== sessionUser)
      throw unauthorized('The session is another user’s', {
        where: 'header user-uuid',
        rule: 'must be the user of the session, where both are sent',
      })
    context.set('account', await requireAccount(sandbox.pool, sessionUser ?? uuid ?? ''))
    await next()
  }

/**
 * The document names the credentials of §5.1 that all calls share. A user's own are header parameters, because generated
 * clients keep one key for all schemes of this kind and would send the merchant's in each header.
 */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The merchant’s raw API key, without a Bearer prefix (§5.1).',
  },
  webhookSecret: {
    type: 'http',
    scheme: 'API-Key',
    description:
      'Of a delivery, the endpoint’s signing_secret: `Authorization: API-Key <WEBHOOK_SECRET>` (§5.5).',
  },
} as const

/** A control call carries the key of the namespace that it means, or none for the sandbox itself. */
export const namespaceKey = {
  ...securitySchemes.apiKey,
  description:
    'The key of a namespace, on which the call then acts. Without it the call acts on the sandbox itself.',
} as const

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * The console and the control interface answer to their own host name only. Another site can then neither reach them by DNS
 * rebinding nor submit forms to them. `others` are further allowed names.
 */
export function requireOwnHost(port: number, others: string[]): MiddlewareHandler {
  const names = ['localhost', '127.0.0.1', '[::1]']
  const own = names.map((name) => `${name}:${port}`)
  // A client leaves out the port 80 (RFC 9110, 4.2.1).
  const hosts = new Set([...own, ...(port === 80 ? names : []), ...others])
  const origins = new Set([...hosts].flatMap((host) => [`http://${host}`, `https://${host}`]))
  return async (context, next) => {
    const host = context.req.header('host')?.toLowerCase() ?? ''
    if (!hosts.has(host))
      throw new Refusal(421, 'MisdirectedRequestError', `Open http://localhost:${port} instead`)
    const origin = context.req.header('origin')
    const crossSite = context.req.header('sec-fetch-site') === 'cross-site'
    if (context.req.method !== 'GET' && (crossSite || (origin && !origins.has(origin)))) {
      throw new Refusal(403, 'ForbiddenError', 'Requests from other sites are refused')
    }
    await next()
  }
}

/** Every answer's `Date` is the sandbox's own time, which also checks sign-in messages (§5.2), not the machine's. */
export function sayTime({ clock }: Sandbox): MiddlewareHandler {
  return async (context, next) => {
    await next()
    // All answers dropped on purpose share one object, which must not change.
    if (context.res !== RESPONSE_ALREADY_SENT) context.header('Date', clock.now().toUTCString())
  }
}

/** Active faults strike the calls to the service that carry its key. A call that fails meets no other fault. */
export function injectCallFaults(sandbox: Sandbox): MiddlewareHandler<{ Bindings: HttpBindings }> {
  const { apiKey, faults, publicUrl, options, stopping } = sandbox
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  return async (context, next) => {
    if (context.req.header('authorization') !== apiKey) return next()
    const { method } = context.req
    const place = { method, path: context.req.path.slice(base.length) }
    const fail = faults.consumeFault('fail', place)
    if (fail) throw failed(fail.status, options)
    const drop = faults.consumeFault('drop_answer', place)
    const slow = faults.consumeFault('slow', place)

    await next()
    if (isCreatedEndpoint(place, context) && faults.consumeFault('deliver_before_answer', place))
      await deliverBeforeAnswer(sandbox, await context.res.clone().json())
    if (slow) await wait(slow.milliseconds, AbortSignal.any([context.req.raw.signal, stopping]))
    if (drop) dropAnswer(context)
    else if (hasJson(context) && faults.consumeFault('invalid_json', place)) await cutAnswer(context)
  }
}

/**
 * The answer has the headers that the document lists for it. The cast is needed because hono lists the registered statuses
 * only.
 */
const failed = (status: number, { retryAfter }: Options) =>
  new Refusal(
    status as ContentfulStatusCode,
    'InjectedFaultError',
    'Failed on purpose',
    saysRetryAfter(status, retryAfter) ? { 'Retry-After': '1' } : {},
  )

const isCreatedEndpoint = ({ method, path }: { method: string; path: string }, { res }: Context) =>
  method === 'POST' && /^\/merchant\/webhook-endpoints\/?$/.test(path) && res.status === 201

/** The wait was aborted. */
const endedEarly = () => undefined

/** The wait takes real time, because it tests the patience of another program. */
async function wait(milliseconds: number, giveUp: AbortSignal) {
  await sleep(milliseconds, undefined, { signal: giveUp }).catch(endedEarly)
}

function dropAnswer(context: Context<{ Bindings: HttpBindings }>) {
  context.env.outgoing.destroy()
  context.res = undefined
  context.res = RESPONSE_ALREADY_SENT
}

/** An answer without a body, such as a 204, has no JSON that could be broken. */
const hasJson = ({ res }: Context) => res.headers.get('content-type')?.startsWith('application/json') ?? false

/** The answer is cut to half of its text, which always ends inside the object or list that it began with. */
async function cutAnswer(context: Context) {
  const text = await context.res.text()
  const { status, headers } = context.res
  context.res = new Response(text.slice(0, Math.ceil(text.length / 2)), { status, headers })
}

/** The fault sends an event to a new endpoint and waits up to 5 s for the attempt. */
async function deliverBeforeAnswer({ pool, clock, ids }: Sandbox, created: unknown): Promise<void> {
  const { uuid, subscribed_events } = CreatedEndpointSchema.parse(created)
  const [oldest] = await listAccounts(pool)
  const eventId = ids.uuid('event')
  const envelope = sampleEvent(ids, subscribed_events?.[0] ?? 'KYC', oldest, clock.now())
  await emit(pool, clock, eventId, envelope, JSON.stringify(envelope), uuid)

  const attempted = async () => {
    const { rowCount } = await pool.query(
      'SELECT 1 FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.event_id = $1',
      [eventId],
    )
    return rowCount !== 0
  }
  const deadline = performance.now() + longestWaitMs
  while (!(await attempted()) && performance.now() < deadline) await sleep(20)
}

const longestWaitMs = 5_000

const CreatedEndpointSchema = z.object({
  uuid: z.uuid(),
  subscribed_events: z.array(EventTypeSchema).optional(),
})
