import { createRoute, z } from '@hono/zod-openapi'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import type { Namespaces } from '../namespaces.ts'
import { SeedSchema } from '../state/ids.ts'
import { ApiKeySchema } from '../state/options.ts'

/** A namespace is a sandbox inside this one, for tests that run side by side. */
export function namespaceRoutes(namespaces: Namespaces) {
  const router = createRouter()

  router.openapi(create, async (context) => {
    const { api_key, seed } = context.req.valid('json')
    return context.json({ api_key: await namespaces.create({ apiKey: api_key, seed }) }, 201)
  })

  router.openapi(list, (context) =>
    context.json(
      namespaces.list().map((api_key) => ({ api_key })),
      200,
    ),
  )

  router.openapi(remove, async (context) => {
    await namespaces.remove(context.req.valid('param').api_key)
    return context.body(null, 204)
  })

  return router
}

const NamespaceSchema = z.object({ api_key: ApiKeySchema })

const create = createRoute({
  method: 'post',
  path: '/namespaces',
  operationId: 'createNamespace',
  tags: ['State'],
  summary: 'Make a namespace',
  description:
    'An API key with users, endpoints, mailbox, clock, faults, load and reset of its own. A control call acts on the namespace whose key it carries in Authorization. It ends when it is removed, or with the sandbox.',
  request: jsonBody(
    z.strictObject({
      api_key: ApiKeySchema.optional().describe('Made when left out.'),
      seed: SeedSchema.optional().describe('As in POST reset; otherwise that of SANDBOX_SEED.'),
    }),
  ),
  responses: { 201: jsonAnswer('The namespace', NamespaceSchema), ...refusalAnswers(409) },
})

const list = createRoute({
  method: 'get',
  path: '/namespaces',
  operationId: 'listNamespaces',
  tags: ['State'],
  summary: 'List the namespaces',
  description: 'Those that were made since the start and not removed.',
  responses: { 200: jsonAnswer('Their keys, oldest first', z.array(NamespaceSchema)) },
})

const remove = createRoute({
  method: 'delete',
  path: '/namespaces/{api_key}',
  operationId: 'removeNamespace',
  tags: ['State'],
  summary: 'Remove a namespace',
  description: 'With everything in it.',
  request: {
    params: z.object({ api_key: z.string().openapi({ example: 'sandbox-3f9c2b7a' }).describe('Its key.') }),
  },
  responses: { 204: { description: 'Removed' }, ...refusalAnswers(404) },
})
