import http from 'node:http'
import os from 'node:os'
import { expect, test } from 'vitest'
import { freePort } from '../../../bin/postgres.ts'
import { openPort } from './open-port.ts'

const hasIpv6 = Object.values(os.networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'))

const openHere = async (host: string) => {
  const server = http.createServer((_request, response) => response.end('yes'))
  const port = await freePort()
  const close = await openPort(server, { port, host })
  const isAnswered = (host: string) =>
    fetch(`http://${host}:${port}`).then(
      () => true,
      () => false,
    )
  return { server, close, isAnswered }
}

interface Opened {
  readonly host: string
  readonly here: string
  readonly elsewhere?: string
}

test.each<Opened>([
  { host: '127.0.0.1', here: '127.0.0.1', elsewhere: '127.0.0.2' },
  { host: '127.0.0.2', here: '127.0.0.2', elsewhere: '127.0.0.3' },
  { host: '0.0.0.0', here: '127.0.0.2' },
  ...(hasIpv6
    ? [
        { host: '::', here: '[::1]' },
        { host: '::1', here: '[::1]', elsewhere: '127.0.0.2' },
      ]
    : []),
])('at $host a port is open at $here and at loopback, and not at $elsewhere', async (row) => {
  const { server, close, isAnswered } = await openHere(row.host)
  expect(await Promise.all([row.here, '127.0.0.1'].map(isAnswered))).toEqual([true, true])
  if (row.elsewhere) expect(await isAnswered(row.elsewhere)).toBe(false)
  close()
  server.closeAllConnections()
  expect(await Promise.all([row.here, '127.0.0.1'].map(isAnswered))).toEqual([false, false])
})

test('an address of another machine is named as the setting', async () => {
  await expect(openHere('192.0.2.7')).rejects.toThrow('LISTEN: 192.0.2.7 is no address of this machine')
})
