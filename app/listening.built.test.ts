import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestConfiguration } from '../test/database.ts'
import { startServer } from '../test/next-server.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** The machine has this address besides the one that its browsers and proxies use. */
const elsewhere = '127.0.0.2'

const isAnswered = (host: string, port: string) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(Number(port), host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

test('it listens on loopback beside the address that it is told', async () => {
  const server = await startServer(database.url, {
    PUBLIC_URL: 'https://dash.example.test',
    LISTEN: elsewhere,
  })
  try {
    const { port } = new URL(server.url)
    expect(await isAnswered('127.0.0.1', port)).toBe(true)
    expect(await isAnswered(elsewhere, port)).toBe(true)
  } finally {
    await server.stop()
  }
})

test('it listens on loopback alone, and a connection that a proxy left idle accepts the next request and announces its time limit', async () => {
  const server = await startServer(database.url, { PUBLIC_URL: 'https://dash.example.test' })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (method: string, path: string) => {
    const request = http.request(`${server.url}${path}`, { agent, method })
    request.end()
    const [answer] = await once(request, 'response')
    answer.resume()
    await once(answer, 'end')
    return { reused: request.reusedSocket, status: answer.statusCode, patience: answer.headers['keep-alive'] }
  }
  try {
    expect(await isAnswered(elsewhere, new URL(server.url).port)).toBe(false)
    expect(await ask('GET', '/sign-in')).toMatchObject({ reused: false, status: 200 })
    await sleep(8_000)
    const { reused, status, patience } = await ask('POST', '/api/webhooks/nobody')
    expect({ reused, status }).toEqual({ reused: true, status: 404 })
    // The server keeps an idle connection longer than any proxy does: nginx and Varnish 60 s, Traefik 90 s, Caddy 2
    // min, Google's load balancer 10 min.
    expect(Number(/^timeout=(\d+)$/.exec(patience ?? '')?.[1])).toBeGreaterThan(600)
  } finally {
    agent.destroy()
    await server.stop()
  }
})
