import type { OpenAPIHono } from '@hono/zod-openapi'
import { EnvelopeSchema } from '../state/event-types.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { securitySchemes } from './credentials.ts'
import {
  type Content,
  type Document,
  operationsOf,
  resolve,
  type Schema,
  type Schemas,
  titleOf,
} from './document.ts'
import { exampleOf } from './example.ts'
import { type RefusedStatus, refusedAnswers } from './refused.ts'
import { ErrorBodySchema, jsonBody, refusalAnswers } from './shapes.ts'

/** The OpenAPI 3.1 document, made from the very schemas that validate the requests. */
export function describeApp(app: OpenAPIHono, { port, publicUrl, options }: Sandbox): Document {
  const registry = app.openAPIRegistry
  registry.register('Error', ErrorBodySchema)
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent('securitySchemes', name, scheme)
  for (const [name, answer] of Object.entries(refusals(options.retryAfter)))
    registry.registerComponent('responses', name, answer)
  registry.registerWebhook(delivery)
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Onboarding, sign-in and webhooks', version: '1', description: apiDescription },
    servers: [{ url: `http://localhost:${port}`, description: 'This sandbox' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  })
  const base = new URL(publicUrl).pathname
  for (const { path, operation } of operationsOf(document)) {
    const always = path.startsWith('/_sandbox/') && base !== '/_sandbox' ? ofControl : ofService
    operation.security ??= []
    operation.responses = { ...refusalAnswers(...always), ...operation.responses }
  }
  addExamples(document)
  return document
}

const apiDescription = `The service's whole interface as this sandbox implements it, and under /_sandbox the sandbox's own
control interface. § numbers cite the interface document; ASSUMED marks what it leaves open and the sandbox had to decide.
Answers hold no fields but those listed. 500 is not among them: it would be a defect.`

/** The groups of operations, in the order in which a client meets them. */
export const tags = {
  Users: '§2.1, §4.3. A user exists before any sign-in.',
  'Signing in': '§4.1, §5.2, §5.3. Two ways, one session.',
  'Webhook endpoints': '§4.2, §2.3. Where the service sends its events.',
  Merchant: '§4.3. Informational, for the API key alone.',
  State: 'Control: what the sandbox holds, without credentials, for this machine only.',
  Events: 'Control: what the service sends.',
  Clock: 'Control: the one clock for everything that expires or waits.',
  Faults: 'Control: what goes wrong on purpose.',
  Load: 'Control: many events for measurements.',
}

/** What any call can be refused with, whatever it does; routes name what comes on top. */
const always: RefusedStatus[] = [400, 408, 413, 417, 431, 503]
const ofService: RefusedStatus[] = [...always, 401]
const ofControl: RefusedStatus[] = [...always, 403, 421]

const refusals = (retryAfter: boolean) =>
  Object.fromEntries(
    Object.entries(refusedAnswers).map(([status, [name, description]]) => [
      name,
      {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        ...(((status === '429' && retryAfter) || status === '503') && {
          headers: { 'Retry-After': retryAfterHeader },
        }),
      },
    ]),
  )

const retryAfterHeader = {
  required: true,
  description: 'Seconds to wait. ASSUMED: §7 does not show it.',
  schema: { type: 'integer', minimum: 1 },
} as const

/** §5.5, §6: what the receiver of an endpoint is sent. */
const delivery: Parameters<OpenAPIHono['openAPIRegistry']['registerWebhook']>[0] = {
  method: 'post',
  path: 'event',
  operationId: 'receiveEvent',
  summary: 'An event, sent to every active endpoint that wants its type',
  description:
    '§5.5, §6. Any 2xx within the time-out counts as delivered (ASSUMED); otherwise up to six retries follow, retry n after n⁶ + 2 seconds (§6.8). Redirects are not followed.',
  request: jsonBody(EnvelopeSchema),
  parameters: [
    {
      in: 'header',
      name: 'Authorization',
      required: true,
      schema: { type: 'string' },
      description: '`API-Key` and the endpoint’s signing_secret.',
      example: 'API-Key <WEBHOOK_SECRET>',
    },
    { in: 'header', name: 'Accept', required: true, schema: { type: 'string', const: 'application/json' } },
  ],
  responses: { 200: { description: 'Received' } },
}

/** Every body gets an example, and one per alternative where it has some: for the reader, and for a test to try. */
function addExamples(document: Document) {
  const schemas = document.components?.schemas ?? {}
  const operations = [...operationsOf(document), ...operationsOf({ paths: document.webhooks ?? {} })]
  for (const { operation } of operations) {
    for (const holder of [operation.requestBody, ...Object.values(operation.responses ?? {})]) {
      const content: Content = holder && 'content' in holder ? holder.content : {}
      for (const media of Object.values(content)) {
        if (!media.schema) continue
        const { anyOf, oneOf } = resolve(media.schema, schemas)
        const alternatives = anyOf ?? oneOf
        if (alternatives) media.examples = examplesOf(alternatives, schemas)
        else media.example ??= exampleOf(media.schema, schemas)
      }
    }
  }
}

const examplesOf = (alternatives: Schema[], schemas: Schemas) =>
  Object.fromEntries(
    alternatives.map((alternative, index) => [
      titleOf(alternative, schemas) ?? String(index + 1),
      { value: exampleOf(alternative, schemas) },
    ]),
  )
