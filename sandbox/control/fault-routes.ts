import { createRoute, z } from '@hono/zod-openapi'
import { type DeliveryAnswer, send } from '../deliveries/send.ts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { notFound } from '../service/refusal.ts'
import { autoDisableEndpoint, requireEndpoint } from '../service/webhook-endpoints.ts'
import type { Envelope } from '../state/event-types.ts'
import { FaultSchema } from '../state/faults.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'

export function faultRoutes({ faults }: Sandbox) {
  const router = createRouter()

  router.openapi(add, (context) => context.json(faults.add(context.req.valid('json')), 201))

  router.openapi(list, (context) => context.json(faults.list(), 200))

  router.openapi(remove, (context) => {
    const { id } = context.req.valid('query')
    if (!id) faults.clear()
    else if (!faults.remove(id)) throw notFound('No fault that is on has this id')
    return context.body(null, 204)
  })

  return router
}

/** The answer holds an active fault's settings and its remaining count. */
const [firstFault, ...otherFaults] = FaultSchema.options
const ActiveFaultSchema = z
  .discriminatedUnion('kind', [whileOn(firstFault), ...otherFaults.map(whileOn)])
  .openapi('ActiveFault')

function whileOn({ shape }: (typeof FaultSchema.options)[number]) {
  const name = shape.kind.value.replaceAll(/(?:^|_)([a-z])/g, (_match, letter) => letter.toUpperCase())
  return z
    .strictObject({ ...shape, id: z.uuid(), left: z.number().int().nullable() })
    .openapi(`Active${name}Fault`)
}

const add = createRoute({
  method: 'post',
  path: '/faults',
  operationId: 'addFault',
  tags: ['Faults'],
  summary: 'Switch a fault on',
  description:
    '`duplicate` and `reorder` strike deliveries, `deliver_before_answer` the creation of an endpoint, the others calls to the service.',
  request: jsonBody(FaultSchema),
  responses: {
    201: jsonAnswer(
      'On until it is switched off, has struck `next` times, or the sandbox restarts',
      ActiveFaultSchema,
    ),
    ...refusalAnswers(400),
  },
})

const list = createRoute({
  method: 'get',
  path: '/faults',
  operationId: 'listFaults',
  tags: ['Faults'],
  summary: 'List the faults that are on',
  description: 'With how often each still strikes.',
  responses: { 200: jsonAnswer('The faults that are on, oldest first', z.array(ActiveFaultSchema)) },
})

const remove = createRoute({
  method: 'delete',
  path: '/faults',
  operationId: 'removeFaults',
  tags: ['Faults'],
  summary: 'Switch faults off',
  description: 'One, or all.',
  request: { query: z.strictObject({ id: UuidSchema.optional() }) },
  responses: {
    204: { description: 'This one is off, or without an id all of them' },
    ...refusalAnswers(400, 404),
  },
})

/** The routes cause the lasting troubles of an endpoint at once: auto-disabling, and calls by a stranger. */
export function endpointTroubleRoutes(sandbox: Sandbox) {
  const { pool } = sandbox
  const router = createRouter()

  router.openapi(autoDisable, async (context) => {
    await autoDisableEndpoint(pool, context.req.valid('param').id)
    return context.body(null, 204)
  })

  router.openapi(knockAt, async (context) => {
    const endpoint = await requireEndpoint(pool, context.req.valid('param').id)
    const answers = await knock(sandbox, endpoint, context.req.valid('json').times)
    return context.json(
      { statuses: answers.map((answer) => (answer.kind === 'answered' ? answer.status : null)) },
      200,
    )
  })

  return router
}

const Id = { params: z.object({ id: UuidSchema.describe('The endpoint’s uuid.') }) }

const autoDisable = createRoute({
  method: 'post',
  path: '/endpoints/{id}/auto-disable',
  operationId: 'autoDisableEndpoint',
  tags: ['State'],
  summary: 'Switch an endpoint off as the service does',
  description: '§3.1. At once, instead of after so many lost deliveries.',
  request: Id,
  responses: { 204: { description: 'It is auto_disabled' }, ...refusalAnswers(404, 409) },
})

const knockAt = createRoute({
  method: 'post',
  path: '/endpoints/{id}/knock',
  operationId: 'knockAtEndpoint',
  tags: ['State'],
  summary: 'Call an endpoint’s address with a wrong secret',
  description: '§5.5. As somebody would who knows the address alone. No delivery of the service’s.',
  request: {
    ...Id,
    ...jsonBody(z.strictObject({ times: z.number().int().min(1).max(100) }).openapi('KnockRequest')),
  },
  responses: {
    200: jsonAnswer(
      'What answered each call; null where nothing did',
      z
        .object({ statuses: z.array(z.number().int().nullable()).openapi({ example: [401, null] }) })
        .openapi('KnockAnswers'),
    ),
    ...refusalAnswers(404),
  },
})

/**
 * A stranger knows an endpoint's address and not its secret. The function calls the endpoint repeatedly with an invented
 * secret.
 */
export async function knock(
  { options, ids }: Pick<Sandbox, 'options' | 'ids'>,
  { url }: { readonly url: string },
  times: number,
): Promise<DeliveryAnswer[]> {
  const body: Envelope = { type: 'KYC', subType: 'statusUpdate', uuid: ids.uuid('knock'), data: {} }
  const secret = ids.secret('knock')
  const call = { url, secret, body: JSON.stringify(body), timeoutMs: options.deliveryTimeoutMs }
  const answers: DeliveryAnswer[] = []
  while (answers.length < times) answers.push(await send({ ...call, stop: new AbortController().signal }))
  return answers
}
