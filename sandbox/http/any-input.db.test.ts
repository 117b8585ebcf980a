import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, startTestSandbox } from '../test/running.ts'
import { type Document, examplesIn, jsonBodyOf, operationsOf } from './openapi.ts'

type Described = ReturnType<typeof operationsOf>[number]

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let operations: Described[]
let user: string
beforeAll(async () => {
  sandbox = await startTestSandbox()
  user = await sandbox.createUser()
  const documents = ['/openapi.json', '/openapi-controls.json'].map((path) => sandbox.call('GET', path))
  operations = (await Promise.all(documents)).flatMap(({ body }) => calledOf(body))
})
afterAll(() => sandbox.stop())

/** The paths begin after the sandbox's host and port. */
const calledOf = (document: Document): Described[] =>
  operationsOf(document).map((described) => ({
    ...described,
    path: new URL(`${document.servers?.[0]?.url}`).pathname.replace(/\/$/, '') + described.path,
  }))

const uuid = crypto.randomUUID()
const anyUuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g
const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`

describe('any call that the document has', () => {
  const nasty = [
    null,
    true,
    -1,
    1e308,
    0.5,
    '',
    '\0',
    '\ud800',
    'x'.repeat(3_000),
    '__proto__',
    [],
    [[]],
    {},
    { a: null },
  ]

  /** Every answer is checked against the document, which has no 500. */
  async function call({ method, path }: Described, body?: unknown, query = '') {
    const headers = { Authorization: apiKey, 'user-uuid': user }
    const answer = await sandbox.call(
      method.toUpperCase(),
      `${path.replace('{id}', uuid)}${query}`,
      body,
      headers,
    )
    if (path.endsWith('/faults')) await sandbox.control('DELETE', '/faults')
    return answer
  }

  it('refuses a body that is no object with 400', async () => {
    for (const described of operations.filter(({ operation }) => jsonBodyOf(operation)))
      for (const body of ['', 'null', '[]', '"x"', '1', '{', deep, '[{}]'])
        expect((await call(described, body)).status, `${described.path} ${body}`).toBe(400)
  })

  it('answers a body with anything in one of its fields by 4xx, or takes it', async () => {
    for (const described of operations)
      for (const example of examplesIn(jsonBodyOf(described.operation) ?? {}))
        for (const field of Object.keys(Object(example)))
          for (const value of nasty) {
            const { status } = await call(described, { ...Object(example), [field]: value })
            expect(status, `${described.path} ${field} ${JSON.stringify(value)}`).toBeLessThan(500)
          }
  })

  it.each([
    '00000000-0000-0000-0000-000000000001',
    '11111111-1111-1111-1111-111111111111',
    '12345678-1234-9234-c234-123456789012',
    'ABCDEF01-2345-0789-EABC-DEF012345678',
  ])('knows nothing of the uuid %s, which has no version, and does not refuse it', async (odd) => {
    const isUuid = (schema = {}) => 'format' in schema && schema.format === 'uuid'
    let places = 0
    for (const { method, path, operation } of operations) {
      const query = new URLSearchParams()
      const headers: Record<string, string> = { Authorization: apiKey, 'user-uuid': user }
      for (const parameter of operation.parameters ?? []) {
        if (!('name' in parameter)) continue
        if (!isUuid(parameter.schema) && parameter.name !== 'user-uuid') continue
        places++
        if (parameter.in === 'query') query.set(parameter.name, odd)
        if (parameter.in === 'header') headers[parameter.name] = odd
      }
      const examples = examplesIn(jsonBodyOf(operation) ?? {}).map((example) => JSON.stringify(example))
      for (const example of new Set(examples)) {
        places += example?.match(anyUuid)?.length ?? 0
        const body = example?.replaceAll(anyUuid, odd)
        const where = `${path.replace('{id}', odd)}?${query}`
        const { status } = await sandbox.call(method.toUpperCase(), where, body, headers)
        expect(status, `${where} ${body}`).not.toBe(400)
        if (path.endsWith('/faults')) await sandbox.control('DELETE', '/faults')
      }
    }
    expect(places).toBeGreaterThan(15)
    expect((await sandbox.control('POST', '/sessions', { user_uuid: odd })).status).toBe(404)
  })

  it('answers anything in its query by 4xx, or takes it', async () => {
    for (const described of operations)
      for (const parameter of described.operation.parameters ?? []) {
        if (!('name' in parameter) || parameter.in !== 'query') continue
        for (const value of [
          '',
          '%00',
          '%zz',
          '%ed%a0%80',
          '-1',
          '1e999',
          'NaN',
          '[]',
          `1&${parameter.name}=2`,
        ]) {
          const { status } = await call(described, undefined, `?${parameter.name}=${value}`)
          expect(status, `${described.path} ${parameter.name} ${value}`).toBeLessThan(500)
        }
      }
  })
})
