import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { countAudit, enterCounted } from './counted-entries.ts'

let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const support = callerWith('support')
const entries = async () =>
  (await pool().query('SELECT actor, actor_role, action, target, outcome, ip, details FROM audit')).rows

test('what is counted becomes one entry for each minute, person and thing, once the minute is over', async () => {
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, ip, idle_expires_at, expires_at)
     VALUES ($1, 'x', $2, 'code', 'support', '192.0.2.7', now(), now())`,
    [support.sessionId, support.userUuid],
  )
  const denied = { action: 'access.denied', target: '/endpoints/new', outcome: 'refused' } as const
  for (let n = 0; n < 40; n++) await countAudit(support, denied)
  await countAudit(support, { action: 'search', outcome: 'done' })
  await pool().query(`UPDATE audit_counter SET minute = minute - interval '2 minutes'`)
  await countAudit(support, denied)
  expect(await enterCounted(pool())).toBe(2)
  const entry = { actor: support.id, actor_role: 'support', ip: '192.0.2.7' }
  expect(await entries()).toMatchObject([
    { ...entry, ...denied, details: { count: 40, minute: expect.stringMatching(/:00\.000Z$/) } },
    { ...entry, action: 'search', target: null, outcome: 'done', details: { count: 1 } },
  ])
  expect(await enterCounted(pool())).toBe(0)
  expect((await pool().query('SELECT count FROM audit_counter')).rows).toEqual([{ count: 1 }])
})

test('what was denied to nobody known is an entry without an actor', async () => {
  await pool().query('TRUNCATE audit, audit_counter')
  await countAudit(null, { action: 'access.denied', target: '/api/search', outcome: 'refused' }, 7)
  await pool().query(`UPDATE audit_counter SET minute = minute - interval '2 minutes'`)
  expect(await enterCounted(pool())).toBe(1)
  expect(await entries()).toMatchObject([
    { actor: null, actor_role: null, action: 'access.denied', target: '/api/search', details: { count: 7 } },
  ])
})

test('what one person did in two sessions of a minute has the address of neither', async () => {
  await pool().query('TRUNCATE audit, audit_counter')
  const sessions = [
    ['192.0.2.1', 'first'],
    ['192.0.2.2', 'second'],
  ] as const
  const [first, second] = await Promise.all(
    sessions.map(async ([ip, digest]) => {
      const caller = { ...support, sessionId: crypto.randomUUID() }
      await pool().query(
        `INSERT INTO session (id, token_digest, user_uuid, method, role, ip, idle_expires_at, expires_at)
         VALUES ($1, $2, $3, 'code', 'support', $4, now(), now())`,
        [caller.sessionId, digest, support.userUuid, ip],
      )
      return caller
    }),
  )
  for (const caller of [first, first, second, first])
    if (caller) await countAudit(caller, { action: 'search', outcome: 'done' })
  await pool().query(`UPDATE audit_counter SET minute = minute - interval '2 minutes'`)
  await enterCounted(pool())
  expect(await entries()).toMatchObject([{ actor: support.id, ip: null, details: { count: 4 } }])
})

test('two processes that enter at the same time enter each minute once', async () => {
  await pool().query(
    `TRUNCATE audit, audit_counter;
     INSERT INTO audit_counter SELECT now() - interval '1 hour' - n * interval '1 minute', 'a', 'support', 'search', '', 'done',
       gen_random_uuid(), 3 FROM generate_series(1, 1200) AS n`,
  )
  const entered = await Promise.all([enterCounted(pool()), enterCounted(pool()), enterCounted(pool())])
  await enterCounted(pool())
  expect(entered.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0)
  expect(await entries()).toHaveLength(1_200)
})
