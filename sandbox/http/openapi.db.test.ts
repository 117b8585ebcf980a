import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventTypes } from '../state/event-types.ts'
import { apiKey, startTestSandbox } from '../test/running.ts'
import {
  type Document,
  type DocumentedAnswer,
  examplesIn,
  jsonBodyOf,
  type Operation,
  operationsOf,
  resolve,
} from './openapi.ts'

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let service: Document
let controls: Document
/** The paths are those of the sandbox's own host. */
let operations: Described[]
let serviceCalls: Described[]
beforeAll(async () => {
  sandbox = await startTestSandbox()
  service = (await sandbox.call('GET', '/openapi.json')).body
  controls = (await sandbox.call('GET', '/openapi-controls.json')).body
  serviceCalls = operationsOf(service).map((one) => ({ ...one, path: `/onboarding${one.path}` }))
  operations = [...serviceCalls, ...operationsOf(controls)]
})
afterAll(() => sandbox.stop())

const callsOf = (document: Document) =>
  operationsOf(document)
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    .sort()

describe('the OpenAPI documents', () => {
  it('divide the calls of the contract (§4) from those of the control interface', () => {
    expect(callsOf(service)).toEqual([
      'DELETE /merchant/webhook-endpoints/{id}',
      'GET /merchant/configuration',
      'GET /merchant/webhook-endpoints',
      'GET /merchant/webhook-endpoints/{id}',
      'GET /supported/countries',
      'GET /user',
      'PATCH /merchant/webhook-endpoints/{id}',
      'PATCH /merchant/webhook-endpoints/{id}/secret',
      'POST /auth/login',
      'POST /auth/otp/',
      'POST /merchant/webhook-endpoints',
      'POST /user',
      'POST /user/kyc/applicant/share-token',
    ])
    expect(callsOf(controls)).toEqual([
      'DELETE /_sandbox/faults',
      'DELETE /_sandbox/load',
      'DELETE /_sandbox/namespaces/{api_key}',
      'GET /_sandbox/clock',
      'GET /_sandbox/deliveries',
      'GET /_sandbox/endpoints',
      'GET /_sandbox/faults',
      'GET /_sandbox/load',
      'GET /_sandbox/mailbox',
      'GET /_sandbox/namespaces',
      'GET /_sandbox/refusals',
      'GET /_sandbox/scenarios',
      'GET /_sandbox/users',
      'POST /_sandbox/clock/advance',
      'POST /_sandbox/clock/freeze',
      'POST /_sandbox/clock/resume',
      'POST /_sandbox/clock/set',
      'POST /_sandbox/clock/speed',
      'POST /_sandbox/endpoints/{id}/auto-disable',
      'POST /_sandbox/endpoints/{id}/knock',
      'POST /_sandbox/events',
      'POST /_sandbox/faults',
      'POST /_sandbox/history',
      'POST /_sandbox/load',
      'POST /_sandbox/namespaces',
      'POST /_sandbox/reset',
      'POST /_sandbox/scenarios',
      'POST /_sandbox/sessions',
      'POST /_sandbox/sign-in-messages',
    ])
  })

  it('say the same in both versions, deliveries too', async () => {
    for (const [name, document] of Object.entries({ openapi: service, 'openapi-controls': controls })) {
      const older: Document = (await sandbox.call('GET', `/${name}-3.0.json`)).body
      expect([document.openapi, older.openapi]).toEqual(['3.1.0', '3.0.3'])
      expect(callsOf(older)).toEqual(callsOf(document))
      expect(Object.keys(older.components?.schemas ?? {})).toEqual(
        Object.keys(document.components?.schemas ?? {}),
      )
      const create = operationsOf(older).find(({ operation }) => operation.operationId === 'createEndpoint')
      expect(create?.operation.callbacks?.event).toEqual(
        document.webhooks?.event && { '{$request.body#/url}': document.webhooks.event },
      )
    }
  })

  it('names, groups and describes each, the contract’s with the section', () => {
    const groups = [service, controls].flatMap(({ tags = [] }) => tags.map((tag) => tag.name))
    for (const described of operations) {
      const { operationId, tags, summary, description } = described.operation
      expect(groups, operationId).toEqual(expect.arrayContaining(tags ?? ['none']))
      expect(summary, operationId).toBeTruthy()
      expect(description, operationId).toMatch(serviceCalls.includes(described) ? /§\d/ : /\w/)
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('name the base address for the calls of the service, and this machine for the controls (§4)', async () => {
    const other = await startTestSandbox({ SANDBOX_PUBLIC_URL: 'https://sandbox.example/onboarding/' })
    for (const [name, server, path] of [
      ['openapi', 'https://sandbox.example/onboarding', '/auth/login'],
      ['openapi-controls', other.origin, '/_sandbox/clock'],
    ])
      for (const version of ['', '-3.0']) {
        const { servers, paths }: Document = (await other.call('GET', `/${name}${version}.json`)).body
        expect(servers?.map(({ url }) => url)).toEqual([server])
        expect(Object.keys(paths ?? {})).toContain(path)
      }
    await other.stop()
  })

  it('asks for the credentials that are asked for (§5.1)', async () => {
    for (const { path, method, operation } of serviceCalls) {
      const call = (headers: Record<string, string>) =>
        sandbox.call(method.toUpperCase(), path.replace('{id}', crypto.randomUUID()), undefined, headers)
      expect(operation.security, path).toEqual([{ apiKey: [] }])
      const keyAlone = !operation.parameters?.some(
        (parameter) => 'name' in parameter && parameter.in === 'header',
      )
      expect((await call({})).status, path).toBe(401)
      expect((await call({ Authorization: apiKey })).status === 401, path).toBe(!keyAlone)
    }
  })

  it('let a control call carry the key of a namespace', async () => {
    const { api_key } = (await sandbox.control('POST', '/namespaces', {})).body
    for (const { path, method, operation } of operationsOf(controls)) {
      expect(operation.security, path).toEqual([{}, { apiKey: [] }])
      const call = (key: string) =>
        sandbox.call(method.toUpperCase(), path.replace('{id}', crypto.randomUUID()), undefined, {
          Authorization: key,
        })
      expect((await call(api_key)).status, path).not.toBe(401)
      expect((await call('of-no-namespace-at-all')).status, path).toBe(401)
    }
    await sandbox.control('DELETE', `/namespaces/${api_key}`)
    const { apiKey: scheme } = controls.components?.securitySchemes ?? {}
    expect(scheme).toMatchObject({ type: 'apiKey', in: 'header', name: 'Authorization' })
  })

  it('gives examples that fit its schemas', () => {
    for (const document of [service, controls]) {
      const ajv = new Ajv2020({ strict: false, allowUnionTypes: true })
      addFormats.default(ajv)
      ajv.addSchema(document, 'openapi', false, false)
      const described = [...operationsOf(document), ...operationsOf({ paths: document.webhooks ?? {} })]
      const media = described.flatMap(({ operation }) => [
        ...Object.values<DocumentedAnswer>(operation.responses ?? {}).flatMap(({ content = {} }) =>
          Object.values(content),
        ),
        jsonBodyOf(operation) ?? {},
      ])
      for (const one of media.filter(({ schema }) => schema)) {
        const schema = JSON.parse(JSON.stringify(one.schema).replaceAll('"#/', '"openapi#/'))
        for (const example of examplesIn(one))
          expect(ajv.validate(schema, example), `${JSON.stringify(example)} ${ajv.errorsText()}`).toBe(true)
      }
    }
  })

  it('gives examples of bodies that are taken', async () => {
    await sandbox.createUser()
    for (const { path, method, operation } of operations) {
      for (const example of examplesIn(jsonBodyOf(operation) ?? {})) {
        const headers = { Authorization: apiKey, 'user-uuid': await sandbox.createUser() }
        const { status, body } = await sandbox.call(
          method.toUpperCase(),
          path.replace('{id}', crypto.randomUUID()),
          example,
          headers,
        )
        expect(status, `${operation.operationId} ${body.message}`).not.toBe(400)
        await sandbox.control('DELETE', '/faults')
      }
    }
    await sandbox.control('POST', '/reset')
  })

  it('are shown under their own names only', async () => {
    const { status } = await fetch(`${sandbox.origin}/openapi.json`, { method: 'POST' })
    expect(status).toBe(404)
    expect((await sandbox.call('GET', '/openapi.json')).headers.get('content-type')).toBe('application/json')
  })
})

/** Generators of clients in five languages need these rules (decision 0137). */
describe.each(['openapi', 'openapi-3.0', 'openapi-controls', 'openapi-controls-3.0'])('%s.json', (name) => {
  let document: Document
  let nodes: Node[]
  beforeAll(async () => {
    document = (await sandbox.call('GET', `/${name}.json`)).body
    nodes = nodesIn(document)
  })

  /** The answer lists the places in the document that break a rule. */
  const where = (isWrong: (node: Node) => boolean) => nodes.filter(isWrong).map(({ at }) => at)

  it('has patterns that JavaScript, Python and Go read alike', () => {
    expect(where(({ value: { pattern } }) => typeof pattern === 'string' && !isPortable(pattern))).toEqual([])
  })

  it('names each union, of named schemas, as oneOf', () => {
    const isNamed = ({ at }: Node) => /^\/components\/schemas\/\w+$/.test(at)
    const unions = nodes.filter(({ value }) =>
      ['oneOf', 'anyOf', 'allOf', 'not'].some((word) => word in value),
    )
    expect(unions.filter((node) => !isNamed(node)).map(({ at }) => at)).toEqual([])
    const plain = ({ value: { type } }: Node) => [type].flat().filter((one) => one !== 'null').length <= 1
    expect(where((node) => !plain(node))).toEqual([])
    expect(unions.length).toBeGreaterThan(0)
    for (const { at, value } of unions) {
      const union = UnionSchema.parse(value)
      const fields = union.oneOf.map(({ $ref }) => constantsOf(document, $ref))
      const shared = Object.keys(fields[0] ?? {}).find((field) => fields.every((others) => field in others))
      const mapping =
        shared && Object.fromEntries(fields.map((one, index) => [one[shared], union.oneOf[index]?.$ref]))
      expect(union.discriminator, at).toEqual(shared && { propertyName: shared, mapping })
    }
  })

  it('requires the field that tells alternatives apart of what is sent, and not of what is read', () => {
    const bodies = operationsOf(document).map(({ operation }) => operation.requestBody ?? {})
    for (const { at, value } of nodes) {
      const { propertyName } = DiscriminatorSchema.catch({ propertyName: '' }).parse(value.discriminator)
      if (!propertyName) continue
      const isSent = JSON.stringify(bodies).includes(`"#${at}"`)
      for (const { $ref } of UnionSchema.parse(value).oneOf) {
        const { required = [] } = resolve({ $ref }, document.components?.schemas ?? {})
        expect(required.includes(propertyName), $ref).toBe(isSent)
      }
    }
  })

  it('gives no schema the name of what makes another in Go', () => {
    const names = Object.keys(document.components?.schemas ?? {})
    expect(names.filter((one) => names.includes(`New${one}`))).toEqual([])
  })

  it('says that each body is needed', () => {
    const bodies = operationsOf(document).flatMap(({ operation }) => operation.requestBody ?? [])
    expect(bodies.filter((body) => 'required' in body && body.required)).toHaveLength(bodies.length)
  })

  it('has defaults beside plain types only', () => {
    const plain = ['string', 'number', 'integer', 'boolean']
    expect(where(({ value }) => 'default' in value && !plain.includes(String(value.type)))).toEqual([])
  })

  it('leaves the refusal of further fields to the server', () => {
    expect(where(({ value }) => value.additionalProperties === false)).toEqual([])
  })

  it('has no format in a header, which a generated client would send as it is', () => {
    const headers = nodes.filter(({ at, value }) => /\/parameters\/\d+$/.test(at) && value.in === 'header')
    const schemas = headers.map(({ at }) => nodes.find((node) => node.at === `${at}/schema`)?.value ?? {})
    expect(schemas.filter(({ type, format }) => type !== 'string' || format)).toEqual([])
  })

  it('says each credential once', () => {
    const schemes = Object.values(document.components?.securitySchemes ?? {})
    const secured = [
      'accept',
      'authorization',
      'content-type',
      ...schemes.map((scheme) => ('name' in scheme ? String(scheme.name).toLowerCase() : '')),
    ]
    expect(
      where(
        ({ value }) =>
          value.in === 'header' && 'schema' in value && secured.includes(String(value.name).toLowerCase()),
      ),
    ).toEqual([])
  })

  it('gives every number a format that holds it, and every text an example', () => {
    expect(where(({ value }) => typeOf(value) === 'number' && value.format !== 'double')).toEqual([])
    const isLarge = ({ maximum }: Node['value']) => typeof maximum === 'number' && maximum > 2 ** 31 - 1
    expect(
      where(({ value }) => typeOf(value) === 'integer' && isLarge(value) && value.format !== 'int64'),
    ).toEqual([])
    const isSaid = ({ value }: Node) => ['format', 'enum', 'example'].some((word) => word in value)
    const inExample = ({ at }: Node) =>
      nodes.some((one) => at === `${one.at}/items` && 'example' in one.value)
    expect(where((node) => typeOf(node.value) === 'string' && !isSaid(node) && !inExample(node))).toEqual([])
  })

  it('gives examples that say something, and name no port', () => {
    const examples = nodes
      .flatMap(({ value }) => [value.example, value.examples])
      .filter((one) => one !== undefined)
    const texts = [JSON.stringify(examples)].flatMap((text) => text.match(/"(?:[^"\\]|\\.)*"/g) ?? [])
    expect(texts.length).toBeGreaterThan(20)
    expect(
      texts.filter((text) => /^"(text|string|)"$|…|localhost|127\.0\.0\.1|[a-z]:\d{2,5}/.test(text)),
    ).toEqual([])
  })

  it('refers to nothing that it does not have, and has nothing that nothing refers to', () => {
    const named = new Set(nodes.flatMap(({ value }) => (typeof value.$ref === 'string' ? [value.$ref] : [])))
    const used = nodes.flatMap(({ value }) => (Array.isArray(value.security) ? value.security : []))
    const schemes = used
      .flatMap((set) => Object.keys(set))
      .map((scheme) => `#/components/securitySchemes/${scheme}`)
    const there = Object.entries(document.components ?? {}).flatMap(([kind, parts]) =>
      Object.keys(parts).map((part) => `#/components/${kind}/${part}`),
    )
    expect([...new Set([...named, ...schemes])].sort()).toEqual(there.sort())
  })

  if (name.endsWith('3.0'))
    it('has no word that only 3.1 has', () => {
      const newer = [
        'const',
        'webhooks',
        '$defs',
        'if',
        'then',
        'prefixItems',
        'contentEncoding',
        'patternProperties',
        'jsonSchemaDialect',
      ]
      expect(where(({ value }) => newer.some((word) => word in value))).toEqual([])
      expect(where(({ value }) => Array.isArray(value.type) || value.type === 'null')).toEqual([])
      expect(
        where(
          ({ value }) =>
            typeof value.exclusiveMinimum === 'number' || typeof value.exclusiveMaximum === 'number',
        ),
      ).toEqual([])
      expect(where(({ value }) => '$ref' in value && Object.keys(value).length > 1)).toEqual([])
    })
  else
    it('has no word that only 3.0 has', () => {
      expect(
        where(({ value }) => 'nullable' in value || typeof value.exclusiveMinimum === 'boolean'),
      ).toEqual([])
    })
})

describe('the deliveries of the document', () => {
  it('are told apart by type, with the subTypes and the fields of §6', () => {
    const schemas = service.components?.schemas ?? {}
    const shown = nodesIn(schemas.Event ?? {}).flatMap(({ at, value }) =>
      at === '/discriminator/mapping' ? Object.entries(value) : [],
    )
    expect(shown.map(([type]) => type).sort()).toEqual([...eventTypes].sort())
    for (const [type, ref] of shown) {
      const { subType, data } = resolve({ $ref: String(ref) }, schemas).properties ?? {}
      const fields = Object.keys(resolve(data ?? {}, schemas).properties ?? {})
      expect('enum' in resolve(subType ?? {}, schemas), type).toBe(contractFields.has(type))
      const known = contractFields.get(type)?.split(' ') ?? fields
      expect(fields.sort(), type).toEqual(known.sort())
      expect(fields.length, type).toBeGreaterThan(0)
    }
  })

  it('carry their secret by a scheme of its own', () => {
    const [delivery] = operationsOf({ paths: service.webhooks ?? {} })
    expect(delivery?.operation.security).toEqual([{ webhookSecret: [] }])
    expect(delivery?.operation.parameters).toBeUndefined()
    expect(service.components?.securitySchemes?.webhookSecret).toMatchObject({
      type: 'http',
      scheme: 'API-Key',
      description: expect.stringContaining('Authorization: API-Key <WEBHOOK_SECRET>'),
    })
  })
})

interface Node {
  readonly at: string
  readonly value: Record<string, unknown>
}

/** The list holds every object of the document with its place. An example counts as one value. */
function nodesIn(value: unknown, at = ''): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'examples')
    .flatMap(([key, one]) => nodesIn(one, `${at}/${key.replaceAll('/', '~1')}`))
  return Array.isArray(value) ? inner : [{ at, value: { ...value } }, ...inner]
}

/** A portable pattern has no named classes, no look-around, no back-references, and no possessive or lazy quantifiers. */
const isPortable = (pattern: string) =>
  !/\\[^\\.^$|?*+()[\]{}/dwsnrt-]|\(\?|[*+?}][+]/.test(pattern) && Boolean(new RegExp(pattern))

const typeOf = ({ type }: Node['value']) => [type].flat().find((one) => one !== 'null')

/** The constants are the fields with one possible value, which tell alternatives apart. */
function constantsOf({ components = {} }: Document, ref: string): Record<string, string> {
  const { properties = {} } = resolve({ $ref: ref }, components.schemas ?? {})
  return Object.fromEntries(
    Object.entries(properties).flatMap(([field, schema]) => {
      const values = resolve(schema, components.schemas ?? {}).enum
      return values?.length === 1 ? [[field, String(values[0])]] : []
    }),
  )
}

const inBoth =
  'status transactionUuid direction amountCrypto amountFiat amountRefunded transactionHash currencyFiat currencyCrypto fees chain'
/** The contract shows the fields of §6.1 to §6.6, and none of the others. */
const contractFields = new Map([
  [
    'fiatToCrypto',
    `${inBoth} walletAddress internalBankAccountId senderDetails sendingWalletAddress linkedBankAccountUuid`,
  ],
  ['cryptoToFiat', `${inBoth} sendingAddress remoteBankAccountUuid limit beneficiaryDetails`],
  [
    'unblockBankAccount',
    'uuid currency bank_country iban bic account_number sort_code swift_code bank_code bank_name status error',
  ],
  ['linkedBankAccountProfile', 'uuid status error'],
  ['linkBankAccount', 'uuid status error'],
  ['otpNotification', 'failureType emailAddress diagnosticCode timestamp'],
])

const DiscriminatorSchema = z.object({ propertyName: z.string() })

const UnionSchema = z.object({
  oneOf: z.array(z.strictObject({ $ref: z.string() })).min(2),
  discriminator: z.unknown().optional(),
  description: z.string().optional(),
})

describe('the page about it', () => {
  it('has a place of its own for each call, and loads nothing from elsewhere', async () => {
    const { status, body, headers } = await sandbox.call('GET', '/docs')
    expect(status).toBe(200)
    for (const { operation } of operations) {
      expect(body).toContain(`id="${operation.operationId}"`)
      expect(body).toContain(`href="#${operation.operationId}"`)
    }
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('leads to no anchor that is not there', async () => {
    const { body } = await sandbox.call('GET', '/docs')
    const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const linked = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(linked.filter((id) => !ids.has(id))).toEqual([])
    const repeated = [...body.matchAll(/ id="([^"]+)"/g)]
      .map(([, id]) => id)
      .filter((id, index, all) => all.indexOf(id) !== index)
    expect(repeated).toEqual([])
  })
})
