import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtActionId } from '../test/built-actions.ts'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// The test uses the built server, since Next puts the address of the proxy into a missing header.

const publicUrl = 'https://dash.example.test'

let database: TestDatabase
let pool: pg.Pool
let server: NextServer
beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  server = await startServer(database.url, { PUBLIC_URL: publicUrl })
})
afterAll(async () => {
  await server.stop()
  await pool.end()
  await database.drop()
})

/** The request asks for a message to sign. One address may ask for 120 in 15 minutes. */
async function ask(forwardedFor: string | null): Promise<boolean> {
  const answer = await fetch(`${server.url}/sign-in`, {
    method: 'POST',
    headers: {
      'next-action': builtActionId('issueChallengeAction'),
      'content-type': 'text/plain;charset=UTF-8',
      origin: publicUrl,
      'x-forwarded-host': new URL(publicUrl).host,
      ...(forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor }),
    },
    body: JSON.stringify([{ address: '0x52908400098527886E0F7030069857D2E4169EE7', chainId: 1 }]),
  })
  const text = await answer.text()
  expect(text).toMatch(/"kind":"(done|refused)"/)
  return text.includes('"kind":"done"')
}

/** Eight ask, and what is counted after the third of them counts as if 115 more had asked meanwhile. */
async function askOften(forwardedFor: (n: number) => string | null): Promise<number> {
  let refused = 0
  for (let n = 0; n < 8; n++) {
    if (!(await ask(forwardedFor(n)))) refused += 1
    if (n === 2) await pool.query('UPDATE rate_limit SET points = points + 115')
  }
  return refused
}

test.each([
  ['says nothing of them', () => null],
  ['says nothing that can be read', () => 'unknown'],
])('callers do not share a limit when a proxy %s', async (_what, forwardedFor) => {
  expect(await askOften(forwardedFor)).toBe(0)
})

test('a caller with a port is the same with another port, and different from all others', async () => {
  expect(await askOften((n) => `203.0.113.9:${5_000 + n}`)).toBe(3)
  expect(await ask('203.0.113.10:5000')).toBe(true)
})

test('the log names which of the three faults it was', () => {
  expect(server.printed()).toContain('A proxy does not say whom it speaks for')
  expect(server.printed()).toContain('X-Forwarded-For of a proxy ends with no address')
})
