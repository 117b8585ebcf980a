import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { captureLog } from '../../../test/log.ts'
import { configure } from '../../../test/service.ts'

const remote = { PUBLIC_URL: 'https://dash.example', TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,2001:db8::/32' }

/** The module is loaded again for each test, since settings are read once. */
async function load(settings: Record<string, string>) {
  vi.resetModules()
  vi.unstubAllEnvs()
  globalThis.rampartLog = undefined
  configure(settings)
  const log = await import('../../../test/log.ts')
  logged = log.captureLog()
  return import('./find-address.ts')
}

let logged: ReturnType<typeof captureLog>
beforeEach(() => {
  globalThis.rampartProxyFault = undefined
})
afterEach(() => logged.stop())

describe('the caller’s address', () => {
  it.each([
    [
      'of a connection that no proxy made, whatever the header says',
      '198.51.100.7',
      '203.0.113.9',
      '198.51.100.7',
    ],
    ['that a trusted proxy names', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['past several trusted proxies', '::ffff:127.0.0.1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    [
      'that the last proxy but ours named, not what the caller made up',
      '127.0.0.1',
      '6.6.6.6, 203.0.113.9',
      '203.0.113.9',
    ],
    ['in IPv6', '2001:db8::1', '2a00:1450::5', '2a00:1450::5'],
    ['as IPv4 where it is written as IPv6', '127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['of a trusted proxy, when it asks by itself', '10.1.2.3', '10.1.2.3', '10.1.2.3'],
    ['with the port of its connection left out', '127.0.0.1', '203.0.113.9:5678', '203.0.113.9'],
    ['in IPv6 with a port', '127.0.0.1', '6.6.6.6, [2a00:1450::5]:443', '2a00:1450::5'],
    ['in IPv6 in brackets', '127.0.0.1', '[2a00:1450::5]', '2a00:1450::5'],
    ['as IPv4 in brackets of IPv6', '127.0.0.1', '[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['past a trusted proxy with its port', '127.0.0.1', '203.0.113.9:1, 10.1.2.3:4711', '203.0.113.9'],
    ['in quotes, as Forwarded writes it', '127.0.0.1', '"[2a00:1450::5]:443"', '2a00:1450::5'],
    ['before an empty place', '127.0.0.1', '203.0.113.9, ', '203.0.113.9'],
    ['of nobody, when the header holds no address', '127.0.0.1', 'unknown', null],
    ['of nobody behind what no address is', '127.0.0.1', '203.0.113.9, _hidden, 10.1.2.3', null],
    ['of nobody, when the header is empty', '127.0.0.1', '', null],
    ['of nobody, when a port has no address', '127.0.0.1', ':443', null],
    ['of nobody, when the address is too long', '127.0.0.1', '203.0.113.9.9:443', null],
  ])('is that %s', async (_what, connection, header, address) => {
    const { findAddress } = await load(remote)
    expect(findAddress(connection, header)).toBe(address)
  })

  it('is unknown, with a warning, when a proxy does not name the caller', async () => {
    const { findAddress, readProxyFault } = await load(remote)
    expect(findAddress('127.0.0.1', null)).toBeNull()
    expect(readProxyFault()).toMatchObject({ kind: 'header-missing', proxy: '127.0.0.1' })
    expect(logged.lines).toMatchObject([{ level: 'warn', component: 'proxy', proxy: '127.0.0.1' }])
  })

  it.each(['unknown', '', '203.0.113.9, 1.2.3'])(
    'is unknown, loudly, when a proxy says %j',
    async (header) => {
      const { findAddress, readProxyFault } = await load(remote)
      expect(findAddress('127.0.0.1', header)).toBeNull()
      expect(readProxyFault()).toMatchObject({ kind: 'unreadable', proxy: '127.0.0.1' })
      expect(logged.lines).toMatchObject([{ level: 'warn', component: 'proxy', proxy: '127.0.0.1' }])
    },
  )

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 2a00:1450::5', '2a00:1450::5'],
    ['unknown', null],
    ['203.0.113.9, unknown', null],
    ['', null],
    [null, null],
    ['x'.repeat(60), null],
  ])('is read again from the header %j as %j', async (header, address) => {
    const { lastForwarded } = await load(remote)
    expect(lastForwarded(header)).toBe(address)
  })

  it('is the proxy’s own, with a warning, when the proxy is not trusted', async () => {
    const { findAddress, readProxyFault } = await load(remote)
    expect(findAddress('192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
    expect(readProxyFault()).toMatchObject({ kind: 'not-trusted', proxy: '192.0.2.1' })
    expect(logged.lines).toHaveLength(1)
  })

  it('is the one that a proxy on this machine names, unless other proxies were set', async () => {
    const { findAddress } = await load({ PUBLIC_URL: 'https://dash.example' })
    expect(findAddress('127.0.0.1', '203.0.113.9')).toBe('203.0.113.9')
    expect(findAddress('10.1.2.3', '203.0.113.9')).toBe('10.1.2.3')
  })

  it('is this machine’s own when the dashboard is only on this machine', async () => {
    const { findAddress, readProxyFault } = await load({})
    expect(findAddress('127.0.0.1', null)).toBe('127.0.0.1')
    expect(findAddress(undefined, null)).toBeNull()
    expect(readProxyFault()).toBeNull()
    expect(logged.lines).toEqual([])
  })
})
