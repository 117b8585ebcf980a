import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, startTestSandbox } from '../test/running.ts'
import {
  type Document,
  examplesIn,
  jsonBodyOf,
  type Media,
  type Operation,
  operationsOf,
} from './document.ts'

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
let document: Document
let operations: Described[]
beforeAll(async () => {
  sandbox = await startTestSandbox()
  document = (await sandbox.call('GET', '/openapi.json')).body
  operations = operationsOf(document)
})
afterAll(() => sandbox.stop())

const onService = ({ path }: Described) => path.startsWith('/onboarding/')

describe('the OpenAPI document', () => {
  it('has every call of the contract (§4) and of the control interface', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual([
      'DELETE /_sandbox/faults',
      'DELETE /_sandbox/load',
      'DELETE /onboarding/merchant/webhook-endpoints/{id}',
      'GET /_sandbox/clock',
      'GET /_sandbox/deliveries',
      'GET /_sandbox/endpoints',
      'GET /_sandbox/faults',
      'GET /_sandbox/load',
      'GET /_sandbox/mailbox',
      'GET /_sandbox/scenarios',
      'GET /_sandbox/users',
      'GET /onboarding/merchant/configuration',
      'GET /onboarding/merchant/webhook-endpoints',
      'GET /onboarding/merchant/webhook-endpoints/{id}',
      'GET /onboarding/supported/countries',
      'GET /onboarding/user',
      'PATCH /onboarding/merchant/webhook-endpoints/{id}',
      'PATCH /onboarding/merchant/webhook-endpoints/{id}/secret',
      'POST /_sandbox/clock/advance',
      'POST /_sandbox/clock/speed',
      'POST /_sandbox/endpoints/{id}/auto-disable',
      'POST /_sandbox/endpoints/{id}/knock',
      'POST /_sandbox/events',
      'POST /_sandbox/faults',
      'POST /_sandbox/history',
      'POST /_sandbox/load',
      'POST /_sandbox/reset',
      'POST /_sandbox/scenarios',
      'POST /onboarding/auth/login',
      'POST /onboarding/auth/otp/',
      'POST /onboarding/merchant/webhook-endpoints',
      'POST /onboarding/user',
      'POST /onboarding/user/kyc/applicant/share-token',
    ])
  })

  it('names, groups and describes each, the contract’s with the section', () => {
    const groups = document.tags?.map((tag) => tag.name)
    for (const described of operations) {
      const { operationId, tags, summary, description } = described.operation
      expect(groups, operationId).toEqual(expect.arrayContaining(tags ?? ['none']))
      expect(summary, operationId).toBeTruthy()
      expect(description, operationId).toMatch(onService(described) ? /§\d/ : /\w/)
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('refers to nothing that it does not have', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(refs.length).toBeGreaterThan(100)
    for (const [, kind = '', name = ''] of refs) expect(document.components).toHaveProperty([kind, name])
  })

  it('asks for the credentials that are asked for (§5.1)', async () => {
    for (const described of operations.filter(onService)) {
      const { path, method, operation } = described
      const call = (headers: Record<string, string>) =>
        sandbox.call(method.toUpperCase(), path.replace('{id}', crypto.randomUUID()), undefined, headers)
      const keyAlone = operation.security?.length === 1
      expect((await call({})).status, path).toBe(401)
      expect((await call({ Authorization: apiKey })).status === 401, path).toBe(!keyAlone)
    }
  })

  it('gives examples that fit its schemas', () => {
    const ajv = new Ajv2020({ strict: false, allowUnionTypes: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi', false, false)
    for (const { operation } of operations) {
      for (const answer of Object.values(operation.responses ?? {})) {
        for (const media of Object.values<Media>(answer.content ?? {})) {
          const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"openapi#/'))
          for (const example of examplesIn(media))
            expect(ajv.validate(schema, example), `${operation.operationId} ${ajv.errorsText()}`).toBe(true)
        }
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

  it('is shown under its own name only', async () => {
    const { status } = await fetch(`${sandbox.origin}/openapi.json`, { method: 'POST' })
    expect(status).toBe(404)
    expect((await sandbox.call('GET', '/openapi.json')).headers.get('content-type')).toBe('application/json')
  })
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
