import { createRoute, z } from '@hono/zod-openapi'
import type { Sandbox } from '../sandbox.ts'
import { EventType } from '../service/event-types.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  requireEndpoint,
  rotateSecret,
  type WebhookEndpoint,
} from '../service/webhook-endpoints.ts'
import { answers, refuses, Text, takes } from './shapes.ts'
import { createRouter } from './validation.ts'

/** §4.2: the six operations, with the merchant's API key only. */
export function endpointRoutes({ pool, clock }: Sandbox) {
  const router = createRouter()

  router.openapi(create, async (context) => {
    const endpoint = await createEndpoint(pool, context.req.valid('json'), clock.now())
    return context.json({ ...endpointBody(endpoint), signing_secret: endpoint.signing_secret }, 201)
  })

  router.openapi(list, async (context) => {
    const endpoints = await listEndpoints(pool, context.req.valid('query').status)
    return context.json(endpoints.map(endpointBody), 200)
  })

  router.openapi(getOne, async (context) =>
    context.json(endpointBody(await requireEndpoint(pool, context.req.valid('param').id)), 200),
  )

  router.openapi(change, async (context) => {
    const endpoint = await changeEndpoint(pool, context.req.valid('param').id, context.req.valid('json'))
    return context.json(endpointBody(endpoint), 200)
  })

  router.openapi(rotate, async (context) => {
    const { uuid, signing_secret } = await rotateSecret(pool, context.req.valid('param').id)
    return context.json({ uuid, signing_secret }, 200)
  })

  router.openapi(remove, async (context) => {
    await deleteEndpoint(pool, context.req.valid('param').id)
    return context.body(null, 204)
  })

  return router
}

/** §8: HTTPS. ASSUMED: plain HTTP for loopback hosts, so that a receiver on the same machine can be tried. */
const ReceiverUrl = z
  .string()
  .max(2_048)
  .refine(isReceiverUrl, 'must be an https address, without a user name or password')

function isReceiverUrl(text: string) {
  const url = URL.parse(text)
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** §2.3, §7. ASSUMED: an empty list is refused rather than read as "every type" or "none". */
const SubscribedEvents = z
  .array(EventType)
  .min(1, 'name at least one event type, or leave the list out for every type')
  .transform((types) => [...new Set(types)])

const EndpointBody = z.object({
  uuid: z.uuid(),
  url: z.string(),
  description: z.string(),
  subscribed_events: z.array(EventType).optional(),
  status: z.enum(['active', 'disabled', 'auto_disabled']),
})

const Id = { params: z.object({ id: z.uuid() }) }

const create = createRoute({
  method: 'post',
  path: '/merchant/webhook-endpoints',
  request: takes(
    z.strictObject({
      url: ReceiverUrl,
      description: Text(255),
      subscribed_events: SubscribedEvents.optional(),
    }),
  ),
  // ASSUMED: 201 and the whole endpoint.
  responses: {
    201: answers('The endpoint', EndpointBody.extend({ signing_secret: z.string() })),
    ...refuses(400, 401),
  },
})

const list = createRoute({
  method: 'get',
  path: '/merchant/webhook-endpoints',
  request: { query: z.object({ status: EndpointBody.shape.status.optional() }) },
  responses: { 200: answers('The endpoints, oldest first', z.array(EndpointBody)), ...refuses(400, 401) },
})

const getOne = createRoute({
  method: 'get',
  path: '/merchant/webhook-endpoints/{id}',
  request: Id,
  responses: { 200: answers('The endpoint', EndpointBody), ...refuses(400, 401, 404) },
})

const change = createRoute({
  method: 'patch',
  path: '/merchant/webhook-endpoints/{id}',
  request: {
    ...Id,
    // The description cannot be changed (§4.2). ASSUMED: trying to is a 400, as is any other unknown field.
    ...takes(
      z.strictObject({
        url: ReceiverUrl.optional(),
        status: z.enum(['active', 'disabled']).optional(),
        subscribed_events: SubscribedEvents.optional(),
      }),
    ),
  },
  responses: { 200: answers('The updated endpoint', EndpointBody), ...refuses(400, 401, 404) },
})

const rotate = createRoute({
  method: 'patch',
  path: '/merchant/webhook-endpoints/{id}/secret',
  request: Id,
  responses: {
    200: answers('The new secret', z.object({ uuid: z.uuid(), signing_secret: z.string() })),
    ...refuses(400, 401, 404),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/merchant/webhook-endpoints/{id}',
  request: Id,
  // ASSUMED: 204 without a body.
  responses: { 204: { description: 'Removed' }, ...refuses(400, 401, 404) },
})

/** The secret is shown on create and on rotation only (§2.3). */
const endpointBody = ({ uuid, url, description, subscribed_events, status }: WebhookEndpoint) => ({
  uuid,
  url,
  description,
  ...(subscribed_events && { subscribed_events }),
  status,
})
