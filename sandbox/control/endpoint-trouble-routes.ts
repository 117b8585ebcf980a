import { createRoute, z } from '@hono/zod-openapi'
import { jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { createRouter } from '../http/validation.ts'
import { autoDisableEndpoint, requireEndpoint } from '../service/webhook-endpoints.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { knock } from './knock.ts'

/** What may happen to an endpoint and takes long, or a stranger, in earnest. */
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

const Id = { params: z.object({ id: z.uuid().describe('The endpoint’s uuid.') }) }

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
