import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Refusal } from '../service/refusal.ts'
import type { Options } from '../state/options.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { deliverBeforeAnswer } from './deliver-before-answer.ts'
import { saysRetryAfter } from './refused.ts'

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
