import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '#lib/access/caller.ts'
import { enterCounted } from '#lib/audit/counted-entries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { signInWithPasskey } from '../passkeys/verify-passkey.ts'
import { refuseSignIn } from '../sign-in/complete-sign-in.ts'
import { signInWithCode } from '../sign-in/sign-in-with-code.ts'
import { signInWithWallet } from '../sign-in/sign-in-with-wallet.ts'
import { openLink } from './set-up.ts'

// A stranger may repeat an attempt many times: the audit has few entries, which say how often it happened.

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(() => pool().query('TRUNCATE audit, audit_reason, audit_counter, rate_limit'))

const from = (ip: string | null): RequestContext => ({ ip, userAgent: 'x', browserId: crypto.randomUUID() })
const address = (n: number) => `198.51.${n >> 8}.${n & 255}`

const answer = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', authenticatorData: 'x', signature: 'x' },
} as const

/** Each flood has a name and one attempt that is repeated. */
const attempts: Record<string, (context: RequestContext) => Promise<unknown>> = {
  'a wrong code': (context) => signInWithCode({ email: 'a@b.cc', code: '123456' }, context),
  'a wrong signature': (context) => signInWithWallet({ message: 'x', signature: '0x' }, context),
  'a wrong passkey': (context) => signInWithPasskey({ answer }, context),
  'a wrong link': (context) => openLink({ token: crypto.randomUUID() }, context).catch(() => null),
  'an answer of single sign-on to no question': (context) =>
    refuseSignIn('sso-unknown', 'sso', null, context),
  'a refusal by the provider': (context) => refuseSignIn('sso-refused', 'sso', null, context),
}

const entries = async () =>
  (await pool().query<{ count: number }>('SELECT count(*)::int AS count FROM audit')).rows[0]?.count ?? 0
const counted = async () =>
  (
    await pool().query<{ rows: number; times: number }>(
      `SELECT count(*)::int AS rows, COALESCE(sum(count), 0)::int AS times FROM audit_counter`,
    )
  ).rows[0]

async function repeat(times: number, act: (n: number) => Promise<unknown>) {
  for (let n = 0; n < times; n += 10) await Promise.all(Array.from({ length: 10 }, (_, one) => act(n + one)))
}

test.each(Object.entries(attempts))('%s, from one address, has few entries', async (_name, attempt) => {
  const context = from(address(1))
  await repeat(200, () => attempt(context))
  const written = await entries()
  expect(written).toBeLessThanOrEqual(100)
  // Calls beyond the limit of links are answered, and nothing else happens.
  await expect
    .poll(async () => (await counted())?.times ?? 0)
    .toBeGreaterThanOrEqual(written === 0 ? 60 : 100)
  expect((await counted())?.rows).toBeLessThanOrEqual(6)
})

test.each([
  ['many addresses', address],
  ['nobody knows where', () => null],
])('refusals from %s have a limit together, and those of somebody of ours another', async (_name, where) => {
  // There were 900 refusals of the 1,000 that have entries.
  await consumeLimit('refusals', 'of nobody', 900)
  await repeat(130, (n) => refuseSignIn('message-refused', 'wallet', null, from(where(n))))
  expect(await entries()).toBe(100)
  await refuseSignIn('code-refused', 'code', crypto.randomUUID(), from(where(2_000)))
  expect(await entries()).toBe(101)
  await expect.poll(async () => (await counted())?.times).toBe(30)
})

test('what anybody can cause is not kept for good', async () => {
  await refuseSignIn('message-refused', 'wallet', null, from(address(1)))
  await pool().query(
    `INSERT INTO access_link (id, kind, token_digest, name, role, created_by, expires_at)
     VALUES ($1, 'invitation', sha256($2), 'M', 'admin', 'x', now() - interval '1 day')`,
    [crypto.randomUUID(), Buffer.from('used')],
  )
  await openLink({ token: 'used' }, from(address(1))).catch(() => null)
  await openLink({ token: 'unknown' }, from(address(1))).catch(() => null)
  await expect.poll(async () => (await counted())?.times).toBe(1)
  await pool().query(`UPDATE audit_counter SET minute = minute - interval '2 minutes'`)
  await enterCounted(pool())
  const { rows } = await pool().query<{ action: string; kept: boolean }>(
    'SELECT action, expires_at IS NULL AS kept FROM audit ORDER BY action',
  )
  expect(rows).toEqual([
    { action: 'access.denied', kept: false },
    { action: 'link.open', kept: false },
    { action: 'session.start', kept: false },
  ])
})
