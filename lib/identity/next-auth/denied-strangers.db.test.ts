import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { answerSessionUse, answerSignOut } from '../sessions/browser-session.ts'
import { countDenied, routeFolderOf, writeDenied } from '../sessions/denied-requests.ts'
import { answerAuthRequest } from './route.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const counted = async () =>
  (
    await pool().query(
      `SELECT actor, target, sum(count)::int AS count, count(*)::int AS rows FROM audit_counter
       WHERE action = 'access.denied' GROUP BY actor, target ORDER BY target`,
    )
  ).rows

const from = (path: string) =>
  new Request(`http://localhost:3000${path}`, { method: 'POST', headers: { origin: 'https://evil.example' } })

it('a flood of strangers, and of other sites, is counted by place, without an actor', async () => {
  for (let n = 0; n < 100; n++) {
    const nextauth = Promise.resolve({ nextauth: ['signout'] })
    const answers = await Promise.all([
      answerSignOut(from('/api/sign-out'), async () => null),
      answerSessionUse(from('/api/session')),
      answerAuthRequest(from('/api/auth/signout'), { params: nextauth }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    await countDenied(null, routeFolderOf(`/api/users/${'abcdefghij'[n % 10]}/export`))
  }
  const row = (target: string) => ({ actor: '', target, count: 100, rows: expect.any(Number) })
  await expect
    .poll(counted)
    .toEqual([
      row('/api/users'),
      row('another origin: /api/auth'),
      row('another origin: /api/session'),
      row('another origin: /api/sign-out'),
    ])
  // The flood makes one row for each minute of its duration.
  for (const { rows } of await counted()) expect(rows).toBeLessThanOrEqual(2)
})

it('what was counted last is written before the pool ends', async () => {
  await countDenied(null, 'the last moment')
  await writeDenied()
  expect(await counted()).toContainEqual({ actor: '', target: 'the last moment', count: 1, rows: 1 })
})
