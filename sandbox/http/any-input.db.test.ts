import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, startTestSandbox } from '../test/running.ts'
import { examplesIn, jsonBodyOf, operationsOf } from './openapi.ts'

type Described = ReturnType<typeof operationsOf>[number]

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let operations: Described[]
let user: string
beforeAll(async () => {
  sandbox = await startTestSandbox()
  user = await sandbox.createUser()
  const documents = ['/openapi.json', '/openapi-controls.json'].map((path) => sandbox.call('GET', path))
  operations = (await Promise.all(documents)).flatMap(({ body }) => operationsOf(body))
})
afterAll(() => sandbox.stop())

const uuid = crypto.randomUUID()
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
    await sandbox.control('DELETE', '/faults')
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
