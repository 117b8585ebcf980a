import { once } from 'node:events'
import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { configure } from '../../../test/service.ts'
import { answerProbe, hasToken, isOfThisMachine } from './probes.ts'

const from = (remoteAddress: string, headers: Record<string, string>) =>
  isOfThisMachine({ socket: { remoteAddress }, headers })

describe('a request for metrics is of this machine', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.1.2.3'])('when it comes from %s', (address) => {
    expect(from(address, { host: 'localhost:3000', accept: '*/*' })).toBe(true)
    expect(from(address, { host: '127.0.0.1:3000' })).toBe(true)
    expect(from(address, { host: '[::1]:3000' })).toBe(true)
  })

  it.each(['10.0.0.1', '::ffff:10.0.0.1', '203.0.113.9', ''])('and not when it comes from %j', (address) => {
    expect(from(address, { host: 'localhost:3000' })).toBe(false)
  })

  it.each(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])(
    'and not when a proxy of this machine says so by %s',
    (name) => {
      expect(from('127.0.0.1', { host: 'localhost:3000', [name]: '127.0.0.1' })).toBe(false)
    },
  )

  it('and not when it asks for another host, which only a proxy or a foreign page does', () => {
    expect(from('127.0.0.1', { host: 'dash.example.com' })).toBe(false)
    expect(from('127.0.0.1', {})).toBe(false)
  })
})

describe('the token of METRICS_TOKEN', () => {
  const token = 't'.repeat(32)

  it('opens the metrics', () => {
    expect(hasToken(`Bearer ${token}`, token)).toBe(true)
    expect(hasToken(`bearer  ${token}`, token)).toBe(true)
  })

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token}t`,
    `Bearer ${token.slice(1)}`,
  ])('is not %j', (authorization) => expect(hasToken(authorization, token)).toBe(false))

  it('opens nothing where there is none', () => {
    expect(hasToken('Bearer null', null)).toBe(false)
    expect(hasToken('Bearer ', null)).toBe(false)
  })
})

describe('a server that is not ready', () => {
  const token = 't'.repeat(32)
  const reasons = ['The database takes no writes.']
  const readMetrics = async () => ({ type: 'text/plain', text: '' })

  it.each([
    ['gives the reasons to a caller of this machine', {}, { reasons }],
    [
      'gives them for the token',
      { 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${token}` },
      { reasons },
    ],
    ['gives none to a caller whom a proxy of this machine brings', { 'x-forwarded-for': '203.0.113.9' }, {}],
  ])('%s', async (_, headers, more) => {
    configure({ METRICS_TOKEN: token })
    const server = http.createServer((request, response) =>
      answerProbe(request, response, { readReasons: async () => reasons, readMetrics }),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = z.object({ port: z.number() }).parse(server.address())
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { headers })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ status: 'not ready', ...more })
    server.close()
    server.closeAllConnections()
  })
})
