import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { bindDatabase } from '#lib/platform/db/which-database.ts'
import { env } from '#lib/platform/env.ts'
import { readSettingRow } from '#lib/platform/settings/settings.ts'
import { createUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { createWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { runHere } from '../../test/run-here.ts'
import { startService, type TestService } from '../../test/service.ts'

// One service has two addresses: its own, and that of the proxy before it.
let service: TestService
let [former, next] = ['', '']
beforeAll(async () => {
  service = await startService()
  former = service.baseUrl
  next = `${env().sandboxUrl?.origin}/onboarding`
})
afterAll(() => service.stop())
beforeEach(async () => {
  await pool().query('TRUNCATE setting, endpoint_state, person, admin_notice CASCADE')
  await bindDatabase(pool(), former)
})

async function move(address: string, variables: Record<string, string> = {}) {
  const { code, output } = await runHere(['move-service', address, 'it', 'moved'], {
    DATABASE_URL: env().databaseUrl,
    SERVICE_BASE_URL: former,
    SERVICE_API_KEY: service.apiKey,
    PUBLIC_URL: 'http://localhost:3000',
    NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET ?? '',
    RAMPART_KEYS: process.env.RAMPART_KEYS ?? '',
    ...variables,
  })
  return { code, output }
}

const bound = () => readSettingRow(pool(), 'service')
const audited = async () =>
  (
    await pool().query<{ details: unknown }>(
      `SELECT details FROM audit WHERE action = 'service.move' ORDER BY at DESC LIMIT 1`,
    )
  ).rows[0]?.details

const addEndpoint = (uuid: string) =>
  pool().query(
    `INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status, name) VALUES ($1, now(), now(), 'active', 'E')`,
    [uuid],
  )

it('moves to an address that knows an endpoint of ours, tells all admins, and moves back', async () => {
  const { uuid } = await createWebhookEndpoint(serviceClient(), {
    url: 'https://dash.example.com/api/webhooks/1',
    description: 'moved',
  })
  await addEndpoint(crypto.randomUUID())
  await addEndpoint(uuid)
  expect(await move(next)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^Moved from .*\. It knows an endpoint .*\nNow set SERVICE_BASE_URL=.*\nTo undo: .*move-service/,
    ),
  })
  expect(await bound()).toBe(next)
  expect(await audited()).toEqual({ before: { baseUrl: former }, after: { baseUrl: next }, by: 'endpoint' })
  expect((await pool().query('SELECT kind, reason FROM admin_notice')).rows).toEqual([
    { kind: 'service-moved', reason: 'it moved' },
  ])
  await expect(bindDatabase(pool(), former)).rejects.toThrow(`belongs to ${next}`)
  await expect(bindDatabase(pool(), next)).resolves.toBeUndefined()
  expect((await move(former, { SERVICE_BASE_URL: next })).code).toBe(0)
  await expect(bindDatabase(pool(), former)).resolves.toBeUndefined()
})

it('moves to an address that knows a person of ours', async () => {
  const user = { email: `${crypto.randomUUID()}@example.com`, firstName: 'A', lastName: 'B', country: 'PT' }
  const { userUuid } = await createUser(serviceClient(), user)
  await pool().query(
    `INSERT INTO person (user_uuid, source) VALUES ($1, 'test'), (gen_random_uuid(), 'test')`,
    [userUuid],
  )
  expect(await move(next)).toMatchObject({ code: 0, output: expect.stringContaining('knows a person') })
})

it('moves an installation that knows nothing yet', async () => {
  expect(await move(next)).toMatchObject({ code: 0, output: expect.stringContaining('takes the API key') })
})

it.each<[string, RegExp, () => unknown, () => string, Record<string, string>?]>([
  ['another account', /knows no endpoint and no person/, () => addEndpoint(crypto.randomUUID()), () => next],
  [
    'another environment that knows none of our people',
    /knows no endpoint and no person/,
    () => pool().query(`INSERT INTO person (user_uuid, source) VALUES (gen_random_uuid(), 'test')`),
    () => next,
  ],
  [
    'a key that is refused',
    /refuses the API key/,
    () => undefined,
    () => next,
    { SERVICE_API_KEY: 'of-nobody' },
  ],
  ['another path', /does not answer as the service does/, () => undefined, () => `${next}/elsewhere`],
  ['nobody', /does not answer as it should/, () => undefined, () => 'http://localhost:1/onboarding'],
  ['where it is', /belongs to .* already/, () => undefined, () => `${former}/`],
  ['the sandbox', /own sandbox/, () => pool().query(`UPDATE setting SET value = '"sandbox"'`), () => next],
])('refuses %s, and changes nothing', async (_what, said, before, address, variables) => {
  await before()
  const was = await bound()
  const entries = async () => (await pool().query(`SELECT FROM audit WHERE action = 'service.move'`)).rowCount
  const count = await entries()
  expect(await move(address(), variables)).toEqual({ code: 1, output: expect.stringMatching(said) })
  expect(await bound()).toBe(was)
  expect(await entries()).toBe(count)
})

it('asks for an address and a reason', async () => {
  expect(await move('http://api.example.com')).toMatchObject({
    code: 2,
    output: expect.stringContaining('must be https'),
  })
})
