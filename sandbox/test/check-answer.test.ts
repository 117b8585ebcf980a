import { describe, expect, it } from 'vitest'
import { createAnswerCheck } from './check-answer.ts'

const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
const item = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const error = { type: 'object', properties: { message: { type: 'string' }, name: { type: 'string' } } }
const check = createAnswerCheck({
  openapi: '3.1.0',
  servers: [{ url: 'https://merchant.example/shop' }],
  paths: {
    '/items/{id}': {
      get: { responses: { 200: json({ $ref: '#/components/schemas/Item' }), 404: refusal('NotFound') } },
      delete: { responses: { 204: { description: '' }, 429: refusal('TooMany') } },
    },
  },
  components: {
    schemas: { Item: item, Error: error },
    responses: {
      NotFound: json({ $ref: '#/components/schemas/Error' }),
      TooMany: {
        ...json({ $ref: '#/components/schemas/Error' }),
        headers: { 'Retry-After': { required: true, schema: { type: 'integer', minimum: 1 } } },
      },
    },
  },
})

function refusal(name: string) {
  return { $ref: `#/components/responses/${name}` }
}

const answered = (method: string, status: number, body: unknown, headers: Record<string, string> = {}) =>
  check(method, '/shop/items/1?fresh=yes', {
    status,
    headers: new Headers({ ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers }),
    text: body === undefined ? '' : JSON.stringify(body),
  })

describe('the check of answers', () => {
  it.each<[string, Parameters<typeof answered>]>([
    ['a documented answer', ['GET', 200, { id: 1 }]],
    ['a documented refusal', ['GET', 404, { message: 'none' }]],
    ['an answer without a body', ['DELETE', 204, undefined]],
    ['a documented header', ['DELETE', 429, {}, { 'Retry-After': '3' }]],
    ['a refusal of a call that does not exist', ['PUT', 404, { message: 'none' }]],
    ['a failure that was asked for', ['GET', 503, { message: '', name: 'InjectedFaultError' }]],
    [
      'one with its header',
      ['GET', 429, { message: '', name: 'InjectedFaultError' }, { 'Retry-After': '1' }],
    ],
  ])('lets %s pass', (_case, answer) => {
    expect(() => answered(...answer)).not.toThrow()
  })

  it.each<[string, Parameters<typeof answered>, RegExp]>([
    ['a status that is not documented', ['GET', 201, { id: 1 }], /no such status/],
    ['a body that does not fit', ['GET', 200, { id: 'one' }], /integer/],
    ['a property that is not listed', ['GET', 200, { id: 1, secret: 's' }], /additional/],
    ['another content type', ['GET', 200, { id: 1 }, { 'Content-Type': 'text/plain' }], /Content-Type/],
    ['a body where there is none', ['DELETE', 204, {}], /no body/],
    ['a missing header', ['DELETE', 429, {}], /Retry-After is missing/],
    [
      'a failure that was asked for, without its header',
      ['GET', 429, { message: '', name: 'InjectedFaultError' }],
      /missing/,
    ],
    ['a header that makes no sense', ['DELETE', 429, {}, { 'Retry-After': 'soon' }], /Retry-After/],
    ['a header that is not documented', ['GET', 404, {}, { 'Retry-After': '3' }], /no header Retry-After/],
    ['a success of a call that does not exist', ['PUT', 200, { message: '' }], /no such status/],
  ])('refuses %s', (_case, answer, why) => {
    expect(() => answered(...answer)).toThrow(why)
  })

  it('looks at nothing beside the paths of the document', () => {
    expect(() => check('GET', '/elsewhere', { status: 500, headers: new Headers(), text: '' })).not.toThrow()
  })
})
