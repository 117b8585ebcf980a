import { createRoute, z } from '@hono/zod-openapi'
import { jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { createRouter } from '../http/validation.ts'
import { notFound } from '../service/refusal.ts'
import { FaultSchema } from '../state/faults.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** Switches on and off what goes wrong on purpose. */
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

/** A fault that is on: its settings, and how often it still strikes. */
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
  request: { query: z.strictObject({ id: z.uuid().optional() }) },
  responses: {
    204: { description: 'This one is off, or without an id all of them' },
    ...refusalAnswers(400, 404),
  },
})
