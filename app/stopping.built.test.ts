import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestConfiguration } from '../test/database.ts'
import { startServer } from '../test/next-server.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

test('a server that stops answers what its proxy still sends, on connections that it then closes, and takes no stream', async () => {
  const server = await startServer(database.url)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string) =>
    new Promise<string>((resolve) => {
      const request = http.get(new URL(path, server.url), { agent }, (answer) => {
        answer.resume()
        answer.once('end', () => resolve(`${answer.statusCode} ${answer.headers.connection}`))
      })
      request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  expect(await ask('/icon.svg')).toBe('200 keep-alive')
  const stopped = server.stop()
  const seen: string[] = []
  while (seen.at(-1) !== 'ECONNREFUSED') {
    seen.push(await ask('/icon.svg'))
    await sleep(20)
    if (seen.length === 40) expect(await ask('/api/live')).toBe('503 close')
  }
  await stopped
  const draining = seen.slice(seen.indexOf('200 close'), -2)
  expect(draining.length).toBeGreaterThan(40)
  expect(new Set(draining)).toEqual(new Set(['200 close']))
})
