import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../test/database.ts'
import { type NextServer, startServer } from '../test/next-server.ts'

// Pages show these alerts while something outside this dashboard is wrong.

let database: TestConfiguration
let pool: pg.Pool
let server: NextServer
/** The service has revoked the key that the server was started with (§5.4). */
const service = http.createServer((_request, response) => {
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Unauthorized"}')
})

beforeAll(async () => {
  await once(service.listen(0, 'localhost'), 'listening')
  const { port } = service.address() as AddressInfo
  database = await startDatabase()
  pool = openPool(database.url)
  server = await startServer(database.url, {
    SERVICE_BASE_URL: `http://localhost:${port}/onboarding`,
    // The public address is not this machine, so the caller is a proxy that does not give its client's address.
    PUBLIC_URL: 'https://dash.example',
  })
  const outcomes = () =>
    pool.query(`SELECT value ->> 'look' AS look FROM setting WHERE key = 'service-state'`)
  await vi.waitFor(async () => expect((await outcomes()).rows).toEqual([{ look: 'key-refused' }]), 15_000)
})
afterAll(async () => {
  await server.stop()
  await pool.end()
  await database.stop()
  service.closeAllConnections()
  service.close()
})

/** The page comes without its scripts, which hold all words of the language. */
async function read(path: string, role?: 'admin'): Promise<string> {
  // The request is as over HTTPS.
  const cookie = role && (await server.signIn(pool, role))
  const answer = await fetch(server.url + path, { headers: cookie ? { cookie } : {}, redirect: 'manual' })
  expect(answer.status).toBe(200)
  return (await answer.text()).replace(/<script.*?<\/script>/gs, '')
}

test.each([
  ['/overview', 'The provider refuses the API key.'],
  ['/settings', 'The provider refuses the API key.'],
  ['/overview', 'A proxy does not send its callers’ addresses.'],
  ['/settings', 'A proxy does not send its callers’ addresses.'],
])('%s shows: %s', async (page, title) => {
  expect(await read(page, 'admin')).toContain(title)
})

test('a person who wants to sign in reads that the problem is not their fault', async () => {
  expect(await read('/sign-in')).toContain('Signing in by wallet or code does not work at the moment.')
})
