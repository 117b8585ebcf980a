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
 * The console and the control interface only answer to their own host name, so that another site can neither
 * reach them by DNS rebinding nor submit forms to them. `others` are further allowed names.
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

/** The `Date` of every answer is the sandbox's own time, by which it checks sign-in messages (§5.2), not the machine's. */
export function sayTime({ clock }: Sandbox): MiddlewareHandler {
  return async (context, next) => {
    await next()
    // An answer that was dropped on purpose is one object for all of them, and stays as it is.
    if (context.res !== RESPONSE_ALREADY_SENT) context.header('Date', clock.now().toUTCString())
  }
}

/** Lets the faults that are on strike the calls to the service. A call that fails meets no other fault. */
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

/** With what the document says that such an answer carries. The cast: hono lists the registered statuses. */
const failed = (status: number, { retryAfter }: Options) =>
  new Refusal(
    status as ContentfulStatusCode,
    'InjectedFaultError',
    'Failed on purpose',
    saysRetryAfter(status, retryAfter) ? { 'Retry-After': '1' } : {},
  )

const isCreatedEndpoint = ({ method, path }: { method: string; path: string }, { res }: Context) =>
  method === 'POST' && /^\/merchant\/webhook-endpoints\/?$/.test(path) && res.status === 201

/** The wait was broken off. */
const endedEarly = () => undefined

/** Waits in real time, since it tests the patience of another program. */
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

/** Half of the text: it always ends inside the object or list that it began with. */
async function cutAnswer(context: Context) {
  const text = await context.res.text()
  const { status, headers } = context.res
  context.res = new Response(text.slice(0, Math.ceil(text.length / 2)), { status, headers })
}

/** Sends an event to an endpoint that was just created, and waits until it has been attempted, for up to 5 s. */
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
