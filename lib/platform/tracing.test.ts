import { beforeAll, describe, expect, it } from 'vitest'
import { configure } from '../../test/service.ts'
import { requestIdOf } from './tracing.ts'

beforeAll(() => configure({ PUBLIC_URL: 'https://dash.example', TRUSTED_PROXIES: '10.0.0.0/8' }))

const idOf = (remoteAddress: string | undefined, given: string | undefined) =>
  requestIdOf({ socket: { remoteAddress }, headers: given === undefined ? {} : { 'x-request-id': given } })

const own = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

describe('the id of a request', () => {
  it.each(['10.1.2.3', '::ffff:10.1.2.3'])('is that of the proxy that %s is', (address) => {
    expect(idOf(address, '4bf92f3577b34da6a3ce929d0e0e4736')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  })

  it.each([
    ['a caller that is no proxy', '203.0.113.9', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['this machine, unless it is named', '127.0.0.1', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['nobody', undefined, '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['a proxy without an id', '10.1.2.3', undefined],
    ['a proxy with an empty one', '10.1.2.3', ''],
    ['a proxy with a short one', '10.1.2.3', '1234567'],
    ['a proxy with one that looks like a token', '10.1.2.3', 'a'.repeat(43)],
    ['a proxy with several', '10.1.2.3', '12345678, 12345679'],
    ['a proxy with a line of its own', '10.1.2.3', '12345678\n'],
    ['a proxy with an address', '10.1.2.3', 'ana@example.com'],
  ])('is a new one for %s', (_, address, given) => {
    expect(idOf(address, given)).toMatch(own)
    expect(idOf(address, given)).not.toBe(idOf(address, given))
  })
})
