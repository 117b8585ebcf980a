import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openPool } from '#lib/platform/db/pool.ts'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

interface Installation {
  readonly database: TestDatabase
  readonly pool: pg.Pool
  readonly server: NextServer
}

/** Two installations are on one host, with a port each, as for the service's sandbox and its production. */
let [sandbox, production]: Installation[] = []

async function install(settings: Record<string, string>): Promise<Installation> {
  const database = await createTestDatabase()
  return { database, pool: openPool(database.url, 1), server: await startServer(database.url, settings) }
}

beforeAll(async () => {
  const service = { SERVICE_BASE_URL: 'http://sandbox.localhost:1/onboarding' }
  ;[sandbox, production] = await Promise.all([
    install(service),
    install({ RAMPART_ENVIRONMENT: 'Production', RAMPART_ENVIRONMENT_COLOR: 'violet' }),
  ])
})
afterAll(async () => {
  for (const installation of [sandbox, production]) {
    await installation?.server.stop()
    await installation?.pool.end()
    await installation?.database.drop()
  }
})

function both(): readonly [Installation, Installation] {
  if (!sandbox || !production) throw new Error('An installation did not start')
  return [sandbox, production]
}

test('their pages differ by a stripe, its colour and the title', async () => {
  for (const path of ['/sign-in', '/set-up', '/nowhere'])
    for (const [{ server }, name, tone] of [
      [both()[0], 'Sandbox', 'held'],
      [both()[1], 'Production', 'back'],
    ] as const) {
      const page = await (await fetch(server.url + path)).text()
      expect(page).toMatch(
        new RegExp(`<aside aria-label="Environment" data-tone="${tone}".*?>${name}</p></aside>`),
      )
      expect(page).toMatch(new RegExp(`<title>${name} · `))
    }
})

const StateSchema = z.object({ state: z.string(), person: z.string().optional() })
const stateAt = async ({ server }: Installation, cookie: string) =>
  StateSchema.parse(await (await fetch(`${server.url}/api/session`, { headers: { cookie } })).json())

test('a browser that is signed in at both has two sessions, and ends one of them alone', async () => {
  const [one, other] = both()
  const [ofOne, ofOther] = [
    await one.server.signIn(one.pool, 'admin'),
    await other.server.signIn(other.pool, 'admin'),
  ]
  // Browsers send the cookies of a host to each of its ports.
  const sent = `${ofOne}; ${ofOther}`
  const names = sent.split('; ').map((cookie) => cookie.split('=', 1)[0])
  expect(new Set(names).size).toBe(4)
  const states = [await stateAt(one, sent), await stateAt(other, sent)]
  expect(states.map(({ state }) => state)).toEqual(['active', 'active'])
  expect(states[0]?.person).not.toBe(states[1]?.person)
  const signedOut = await fetch(`${one.server.url}/api/sign-out`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: sent, origin: one.server.url },
  })
  expect(signedOut.status).toBe(303)
  const set = signedOut.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0])
  expect(set).toEqual([one.server.cookieName('session')])
  expect(signedOut.headers.get('clear-site-data')).not.toContain('cookies')
  expect(await stateAt(one, sent)).toEqual({ state: 'ended' })
  expect(await stateAt(other, sent)).toMatchObject({ state: 'active' })
})

test('next-auth’s own cookies have names of their own too', async () => {
  for (const { server } of both()) {
    const answer = await fetch(`${server.url}/api/auth/csrf`)
    const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0])
    expect(names).toEqual([server.cookieName('csrf'), server.cookieName('callback')])
  }
})
