import fs from 'node:fs'
import { expect, it } from 'vitest'
import { limitOfBody, refusalOfBody } from './request-bodies.ts'

const file = 'POST /api/users/import'

/** The list has each route of Next that accepts a body. Deliveries never come this far. */
const routes = fs
  .globSync('app/**/route.ts')
  .map((route) => `POST /${route.replace(/^app\//, '').replace(/\/route\.ts$/, '')}`)
  .filter((route) => route !== file)

it.each(['POST /sign-in', 'PUT /api/search', 'GET /api/search', 'POST /api/users/import/1', ...routes])(
  '%s takes 64 KB and no more',
  (asked) => {
    const [method = '', path = ''] = asked.split(' ')
    const of = (length: string) => refusalOfBody({ method, headers: { 'content-length': length } }, path)
    expect(of('65536')).toBeNull()
    expect(of('65537')).toBe(413)
  },
)

it.each(routes)('%s may come in chunks, which are counted', (asked) => {
  const [method = '', path = ''] = asked.split(' ')
  expect(refusalOfBody({ method, headers: { 'transfer-encoding': 'chunked' } }, path)).toBeNull()
  expect(limitOfBody(method, path)).toBe(65_536)
})

it('accepts an import file of any length, which its route limits, and an action in chunks, which are counted', () => {
  const large = { method: 'POST', headers: { 'content-length': '9000000' } }
  const inPieces = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }
  expect(refusalOfBody(large, '/api/users/import')).toBeNull()
  expect(refusalOfBody(inPieces, '/api/users/import')).toBeNull()
  expect(refusalOfBody(inPieces, '/settings')).toBeNull()
})
