import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Sandbox } from '../state/sandbox.ts'
import { namespaceKey, securitySchemes } from './credentials.ts'
import { EventSchema } from './events.ts'
import {
  ErrorBodySchema,
  jsonBody,
  type RefusedStatus,
  refusalAnswers,
  refusedAnswers,
  saysRetryAfter,
} from './shapes.ts'

/**
 * The OpenAPI 3.1 document is made from the same schemas that validate the requests. Its server is the base address, so a
 * client that was made of it takes any other base address (§4).
 */
export function describeService(service: OpenAPIHono, sandbox: Sandbox): Document {
  service.openAPIRegistry.registerWebhook(delivery)
  const document = describe(service, sandbox.publicUrl, sandbox, ofService, {
    title: 'Onboarding, sign-in and webhooks',
    about: `The service's whole interface as this sandbox implements it.`,
    tags: serviceTags,
  })
  document.components = { ...document.components, securitySchemes }
  for (const { operation } of operationsOf(document)) operation.security = [{ apiKey: [] }]
  return document
}

export type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>
export type Operation = NonNullable<PathItem['get']>
export type DocumentedAnswer = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>
type Content = Extract<NonNullable<Operation['requestBody']>, { content: unknown }>['content']
type Media = Content[string]
export type Schemas = NonNullable<Components['schemas']>
export type Schema = Schemas[string]
export type InlineSchema = Exclude<Schema, { $ref: string }>
type PathItem = NonNullable<Document['paths']>[string]
type Components = NonNullable<Document['components']>

/** Operations follow the order of the document's paths. On each path, creating comes before reading. */
export const operationsOf = ({ paths }: Pick<Document, 'paths'>) =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    (['post', 'get', 'patch', 'delete'] as const).flatMap((method) => {
      const operation: Operation | undefined = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )

/** `resolve` follows a reference to a schema of the document. */
export function resolve(schema: Schema, schemas: Schemas): InlineSchema {
  if (isInline(schema)) return schema
  const named = schemas[schema.$ref.split('/').at(-1) ?? '']
  return named ? resolve(named, schemas) : {}
}

const isInline = (schema: Schema): schema is InlineSchema => !schema.$ref

export const typesOf = ({ type }: InlineSchema) => [type ?? []].flat()

/** An alternative's title is the single value of its first property, or else its schema's name. */
export function titleOf(alternative: Schema, schemas: Schemas): string | undefined {
  const [first] = Object.values(resolve(alternative, schemas).properties ?? {})
  return (first && resolve(first, schemas).enum?.join()) ?? alternative.$ref?.split('/').at(-1)
}

export const jsonBodyOf = ({ requestBody }: Operation): Media | undefined =>
  requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined

/** A body has one example, or one for each alternative. */
export const examplesIn = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map((named) => ('value' in named ? named.value : undefined)) : [example]

/** The value fits the schema: it is the schema's own example, or else the first value that the rules allow. */
export function exampleOf(given: Schema, schemas: Schemas): unknown {
  const schema = resolve(given, schemas)
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (schema.example !== undefined) return schema.example
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (first) return exampleOf(first, schemas)
  const type = typesOf(schema)[0]
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property, schemas)]),
    )
  if (type === 'array') return schema.items ? [exampleOf(schema.items, schemas)] : []
  if (type === 'string') return formats.get(schema.format ?? '')
  if (type === 'boolean') return true
  return type === 'number' || type === 'integer' ? (schema.minimum ?? 1) : null
}

const formats = new Map([
  ['uuid', '0b6f9a52-7c1e-4d38-9a47-5e2f8c3d1b60'],
  ['date-time', '2026-11-20T12:00:00.000Z'],
  ['date', '1990-05-17'],
  ['email', 'someone@demo.test'],
  ['uri', 'https://merchant.example/hook'],
])

/** The document describes the sandbox's own controls in the same way. */
export function describeControls(controls: OpenAPIHono, sandbox: Sandbox): Document {
  const document = describe(controls, `http://localhost:${sandbox.port}`, sandbox, ofControl, {
    title: 'Controls of the sandbox',
    about:
      'What a test or a demo does that no client of the service could. For this machine only. A call needs no credentials; with the key of a namespace it acts on that alone.',
    tags: controlTags,
  })
  document.components = { ...document.components, securitySchemes: { apiKey: namespaceKey } }
  for (const { operation } of operationsOf(document)) operation.security = [{}, { apiKey: [] }]
  return document
}

interface Description {
  readonly title: string
  readonly about: string
  readonly tags: Readonly<Record<string, string>>
}

function describe(
  router: OpenAPIHono,
  server: string,
  { options }: Sandbox,
  always: RefusedStatus[],
  { title, about, tags }: Description,
): Document {
  router.openAPIRegistry.register('Error', ErrorBodySchema)
  const config = {
    openapi: '3.1.0',
    info: { title, version: '1', description: `${about}\n${howToRead}`, license },
    servers: [{ url: server, description: 'This sandbox' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  }
  const { webhooks = {}, ...calls } = router.getOpenAPI31Document(config, { unionPreferredType: 'oneOf' })
  const document: Document = Object.keys(webhooks).length > 0 ? { ...calls, webhooks } : calls
  for (const { operation } of operationsOf(document)) {
    operation.responses = { ...refusalAnswers(...always), ...operation.responses }
  }
  const paths = JSON.stringify(document.paths)
  const refused = Object.entries(refusals(options.retryAfter)).filter(([name]) =>
    paths.includes(`"#/components/responses/${name}"`),
  )
  document.components = { ...document.components, responses: Object.fromEntries(refused) }
  addExamples(document)
  letTagsBeTaken(document)
  return JSON.parse(JSON.stringify(document, forGenerators))
}

/**
 * Rust's generator reads the discriminating field first, and then misses it in the chosen alternative if it is required
 * there. What a client sends keeps the field required, so that nobody forgets it.
 */
function letTagsBeTaken(document: Document) {
  const schemas = document.components?.schemas ?? {}
  const sent = JSON.stringify(operationsOf(document).map(({ operation }) => operation.requestBody ?? {}))
  for (const ref of Object.keys(schemas).map((name) => `#/components/schemas/${name}`)) {
    const { discriminator, oneOf = [] } = resolve({ $ref: ref }, schemas)
    if (!discriminator || sent.includes(`"${ref}"`)) continue
    for (const alternative of oneOf.map((one) => resolve(one, schemas)))
      alternative.required = (alternative.required ?? []).filter(
        (field) => field !== discriminator.propertyName,
      )
  }
}

/**
 * Java's generator makes a map of an object that allows no further fields, so only the server refuses them. Without a
 * format, Go's and Java's generators use a 32-bit number.
 */
function forGenerators(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && value === false) return undefined
  if (!isSchema(value) || 'format' in value) return value
  const types = [value.type].flat()
  if (types.includes('number')) return { ...value, format: 'double' }
  const long = types.includes('integer') && Number(value.maximum ?? 0) > longestInt32
  return long ? { ...value, format: 'int64' } : value
}

const longestInt32 = 2 ** 31 - 1
const isSchema = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Python's generator writes a package that cannot be installed when no license is named. */
const license = { name: 'MIT', identifier: 'MIT' }

const howToRead = `§ numbers cite the interface document; ASSUMED marks what it leaves open and the sandbox had to decide.
Answers hold no fields but those listed, and a body with a field that is not listed may be refused. 500 is not among the
answers: it would be a defect.`

/** A client meets the groups of operations in this order. */
const serviceTags = {
  Users: '§2.1, §4.3. A user exists before any sign-in.',
  'Signing in': '§4.1, §5.2, §5.3. Two ways, one session.',
  'Webhook endpoints': '§4.2, §2.3. Where the service sends its events.',
  Merchant: '§4.3. Informational, for the API key alone.',
}

const controlTags = {
  State: 'What the sandbox holds.',
  Events: 'What the service sends.',
  Clock: 'The one clock for everything that expires or waits.',
  Faults: 'What goes wrong on purpose.',
  Load: 'Many events for measurements.',
}

/** Any call can be refused with these statuses. A route adds its own. */
const always: RefusedStatus[] = [400, 408, 413, 417, 431, 503]
const ofService: RefusedStatus[] = [...always, 401]
const ofControl: RefusedStatus[] = [...always, 401, 403, 421]

const refusals = (retryAfter: boolean) =>
  Object.fromEntries(
    Object.entries(refusedAnswers).map(([status, [name, description]]) => [
      name,
      {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        ...(saysRetryAfter(Number(status), retryAfter) && { headers: { 'Retry-After': retryAfterHeader } }),
      },
    ]),
  )

const retryAfterHeader = {
  required: true,
  description: 'Seconds to wait. ASSUMED: §7 does not show it.',
  schema: { type: 'integer', minimum: 1 },
} as const

/** The receiver of an endpoint gets this request (§5.5, §6). */
const delivery: Parameters<OpenAPIHono['openAPIRegistry']['registerWebhook']>[0] = {
  method: 'post',
  path: 'event',
  operationId: 'receiveEvent',
  summary: 'An event, sent to every active endpoint that wants its type',
  description:
    '§5.5, §6. With `Authorization: API-Key <WEBHOOK_SECRET>`, the endpoint’s signing_secret, and `Accept: application/json`. Any 2xx within the time-out counts as delivered, whatever comes of its body (ASSUMED); otherwise up to six retries follow, retry n after n⁶ + 2 seconds (§6.8). Redirects are not followed.',
  security: [{ webhookSecret: [] }],
  request: jsonBody(EventSchema),
  responses: { 200: { description: 'Received' } },
}

/**
 * Some generators read no OpenAPI 3.1, so the document also exists as 3.0. Version 3.0 writes null and open ends
 * differently, and has no webhooks: a delivery is a callback of the call that creates its endpoint.
 */
export function asOpenApi30({ webhooks, ...document }: Document): unknown {
  const paths = structuredClone(document.paths ?? {})
  const create = operationsOf({ paths }).find(({ operation }) => operation.operationId === 'createEndpoint')
  if (create && webhooks?.event)
    create.operation.callbacks = { event: { '{$request.body#/url}': webhooks.event } }
  const info = { ...document.info, license: { name: license.name } }
  return JSON.parse(JSON.stringify({ ...document, info, paths, openapi: '3.0.3' }, inOlderWords))
}

function inOlderWords(_key: string, value: unknown): unknown {
  if (!isSchema(value)) return value
  const { type, exclusiveMinimum, ...others } = value
  if (Array.isArray(type) && type.includes('null')) {
    const [plain] = type.filter((one) => one !== 'null')
    return { type: plain, nullable: true, ...others }
  }
  if (typeof exclusiveMinimum === 'number')
    return { type, ...others, minimum: exclusiveMinimum, exclusiveMinimum: true }
  return value
}

/** Every body gets an example, or one for each alternative. Readers see the examples, and a test tries them. */
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
