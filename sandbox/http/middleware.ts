import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { emit } from '../deliveries/emit.ts'
import { sampleEvent } from '../scenarios/catalogue.ts'
import { listAccounts } from '../service/accounts.ts'
import { Refusal } from '../service/refusal.ts'
import { EventTypeSchema } from '../state/event-types.ts'
import type { Options } from '../state/options.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { saysRetryAfter } from './shapes.ts'

/**
 * The console and the control interface answer to their own host name only. Another site can then neither reach them by DNS
 * rebinding nor submit forms to them. `others` are further allowed names.
 */
export function requireOwnHost(port: number, others: string[]): MiddlewareHandler {
  const own = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`)
  const hosts = new Set([...own, ...others])
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

/** Active faults strike the calls to the service. A call that fails meets no other fault. */
export function injectCallFaults(sandbox: Sandbox): MiddlewareHandler<{ Bindings: HttpBindings }> {
  const { faults, publicUrl, options, stopping } = sandbox
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  return async (context, next) => {
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
