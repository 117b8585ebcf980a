import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestConfiguration } from '../test/database.ts'
import { startServer } from '../test/next-server.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** Another address of this machine than the one that browsers and proxies on it use. */
const elsewhere = '127.0.0.2'

const isAnswered = (host: string, port: string) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(Number(port), host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

test.each([
  ['on loopback where a proxy on this machine ends TLS', { PUBLIC_URL: 'https://dash.example.test' }, false],
  ['on loopback where nobody else is to come', {}, false],
  [
    'on every address where it is told to',
    { PUBLIC_URL: 'https://dash.example.test', LISTEN: '0.0.0.0' },
    true,
  ],
])('it listens %s', async (_where, settings, expected) => {
  const server = await startServer(database.url, settings)
  try {
    const { port } = new URL(server.url)
    expect(await isAnswered('127.0.0.1', port)).toBe(true)
    expect(await isAnswered(elsewhere, port)).toBe(expected)
  } finally {
    await server.stop()
  }
})
