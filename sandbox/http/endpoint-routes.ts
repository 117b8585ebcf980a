import { createRoute, z } from '@hono/zod-openapi'
import { badRequest } from '../service/refusal.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  requireEndpoint,
  rotateSecret,
  type WebhookEndpoint,
} from '../service/webhook-endpoints.ts'
import { EventTypeSchema } from '../state/event-types.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers, textOfLength } from './shapes.ts'

/** The six operations take the merchant's API key only (§4.2). */
export function endpointRoutes({ pool, clock, ids, options }: Sandbox) {
  const router = createRouter()

  router.openapi(create, async (context) => {
    const wanted = context.req.valid('json')
    requireAllowed(wanted.url)
    const endpoint = await createEndpoint(pool, ids, wanted, clock.now())
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
    const changes = context.req.valid('json')
    requireAllowed(changes.url)
    const endpoint = await changeEndpoint(pool, context.req.valid('param').id, changes)
    return context.json(endpointBody(endpoint), 200)
  })

  router.openapi(rotate, async (context) => {
    const { uuid, signing_secret } = await rotateSecret(pool, ids, context.req.valid('param').id)
    return context.json({ uuid, signing_secret }, 200)
  })

  router.openapi(remove, async (context) => {
    await deleteEndpoint(pool, context.req.valid('param').id)
    return context.body(null, 204)
  })

  return router

  function requireAllowed(text: string | undefined) {
    const url = text ? new URL(text) : undefined
    if (!url || url.protocol === 'https:') return
    const { hostname, port } = url
    if (options.loopbackHttp && loopbackHosts.has(hostname)) return
    const named = (host: (typeof options.httpHosts)[number]) =>
      host.hostname === hostname && (host.port ?? (port || '80')) === (port || '80')
    if (options.httpHosts.some(named)) return
    throw badRequest('url: must be an https address', {
      where: 'body.url',
      rule: `must be an https address, or SANDBOX_HTTP_HOSTS must name ${hostname}`,
    })
  }
}

/** An endpoint's URL uses HTTPS (§8). ASSUMED: plain HTTP where `requireAllowed` lets it, and at most 2,048 characters. */
const ReceiverUrlSchema = z
  .string()
  .max(2_048)
  .refine(isReceiverUrl, 'must be an https address, without a user name or password')
  .openapi({ format: 'uri', example: 'https://merchant.example/hook' })
  .describe(
    '§2.3, §8: HTTPS. ASSUMED: plain HTTP for localhost, 127.0.0.1, [::1] and the hosts of SANDBOX_HTTP_HOSTS.',
  )

function isReceiverUrl(text: string) {
  const url = oneWord.test(text) ? URL.parse(text) : null
  if (!url || url.username || url.password) return false
  return /^https?:$/.test(url.protocol)
}

/** Blanks and line breaks are refused, because URL.parse drops them. Text that PostgreSQL cannot store is refused too. */
const oneWord = /^[^\s\p{Cc}\p{Cs}\uFFFD]+$/u

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * An endpoint subscribes to these types (§2.3, §7). ASSUMED: an empty list means the same as no list, since generated
 * clients send it when they were given none. Decision 0138.
 */
const SubscribedEventsSchema = z
  .array(EventTypeSchema)
  .transform((types) => (types.length > 0 ? [...new Set(types)] : undefined))
  .openapi({ example: ['fiatToCrypto', 'cryptoToFiat'] })
  .describe(
    '§2.3. Left out: every type, and in a change as before. ASSUMED: an empty list counts as left out.',
  )

const StatusSchema = z.enum(['active', 'disabled', 'auto_disabled'])

const endpointFields = {
  uuid: z.uuid(),
  url: z.string().openapi({ example: 'https://merchant.example/hook' }),
  description: z.string().openapi({ example: 'Ledger' }),
  subscribed_events: z.array(EventTypeSchema).optional().describe('Absent without a filter (ASSUMED).'),
  status: StatusSchema,
}

const SecretSchema = z
  .string()
  .openapi({ example: 'p0Xk3vQm9ZtR7bLw2NcYf8HdJs5GuEa1' })
  .describe('Shown now and never again; deliveries carry it as `Authorization: API-Key <secret>` (§5.5).')

const EndpointBodySchema = z.object(endpointFields).openapi('Endpoint', { description: '§2.3.' })

const Id = { params: z.object({ id: UuidSchema.describe('The endpoint’s uuid.') }) }

const create = createRoute({
  method: 'post',
  path: '/merchant/webhook-endpoints',
  operationId: 'createEndpoint',
  tags: ['Webhook endpoints'],
  summary: 'Create an endpoint',
  description: '§4.2. ASSUMED: 201 and the whole endpoint.',
  request: jsonBody(
    z
      .strictObject({
        url: ReceiverUrlSchema,
        description: textOfLength(255)
          .openapi({ example: 'Ledger' })
          .describe('§8: at most 255 characters. ASSUMED: at least one, and neither NUL nor U+FFFD.'),
        subscribed_events: SubscribedEventsSchema.optional(),
      })
      .openapi('CreateEndpointRequest'),
  ),
  responses: {
    201: jsonAnswer(
      'The endpoint',
      z.object({ ...endpointFields, signing_secret: SecretSchema }).openapi('CreatedEndpoint'),
    ),
  },
})

const list = createRoute({
  method: 'get',
  path: '/merchant/webhook-endpoints',
  operationId: 'listEndpoints',
  tags: ['Webhook endpoints'],
  summary: 'List the endpoints',
  description: '§4.2. ASSUMED: an array, oldest first.',
  request: { query: z.object({ status: StatusSchema.optional().describe('Only those with this status.') }) },
  responses: { 200: jsonAnswer('The endpoints', z.array(EndpointBodySchema)) },
})

const getOne = createRoute({
  method: 'get',
  path: '/merchant/webhook-endpoints/{id}',
  operationId: 'getEndpoint',
  tags: ['Webhook endpoints'],
  summary: 'Read an endpoint',
  description: '§4.2. Without its secret (ASSUMED).',
  request: Id,
  responses: { 200: jsonAnswer('The endpoint', EndpointBodySchema), ...refusalAnswers(404) },
})

const change = createRoute({
  method: 'patch',
  path: '/merchant/webhook-endpoints/{id}',
  operationId: 'changeEndpoint',
  tags: ['Webhook endpoints'],
  summary: 'Change url, status or events',
  description:
    '§4.2, §3.1. What is left out stays. The description cannot be changed. ASSUMED: trying to is a 400, as is any other unknown field.',
  request: {
    ...Id,
    ...jsonBody(
      z
        .strictObject({
          url: ReceiverUrlSchema.optional(),
          status: z.enum(['active', 'disabled']).optional().describe('§3.1.'),
          subscribed_events: SubscribedEventsSchema.optional(),
        })
        .openapi('ChangeEndpointRequest'),
    ),
  },
  responses: { 200: jsonAnswer('The updated endpoint', EndpointBodySchema), ...refusalAnswers(404) },
})

const rotate = createRoute({
  method: 'patch',
  path: '/merchant/webhook-endpoints/{id}/secret',
  operationId: 'rotateSecret',
  tags: ['Webhook endpoints'],
  summary: 'Replace the signing secret',
  description: '§4.2, §5.5. The previous secret stops being valid at once, for what is queued too.',
  request: Id,
  responses: {
    200: jsonAnswer(
      'The new secret',
      z.object({ uuid: z.uuid(), signing_secret: SecretSchema }).openapi('RotatedSecret'),
    ),
    ...refusalAnswers(404),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/merchant/webhook-endpoints/{id}',
  operationId: 'deleteEndpoint',
  tags: ['Webhook endpoints'],
  summary: 'Remove an endpoint',
  description:
    '§4.2, §3.1. It receives nothing more, nor does what was queued for it. ASSUMED: 204 without a body.',
  request: Id,
  responses: { 204: { description: 'Removed' }, ...refusalAnswers(404) },
})

/** The answer contains the secret on create and on rotation only (§2.3). */
const endpointBody = ({ uuid, url, description, subscribed_events, status }: WebhookEndpoint) => ({
  uuid,
  url,
  description,
  ...(subscribed_events && { subscribed_events }),
  status,
})
