import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { foldLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { shortLived } from '../../../test/short-lived.ts'
import { startHeartbeat } from './heartbeat.ts'

const root = path.join(import.meta.dirname, '../../..')
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => pool.query('TRUNCATE gap, outage, heartbeat, receiver'))

/** The server accepts deliveries until it is killed; it is ready when its first beat is written. */
async function startMortal(): Promise<ChildProcess> {
  const child = fork(path.join(root, 'test/heartbeat-process.ts'), [database.url], {
    execArgv: [...shortLived, '--import', path.join(root, 'bin/hooks.mjs')],
    cwd: root,
  })
  await once(child, 'message')
  return child
}

async function kill(child: ChildProcess) {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const startAndStop = async () => (await startHeartbeat(pool)).stop()

/** The database sees this many seconds go by. */
const pass = (seconds: number) =>
  pool.query(`UPDATE heartbeat SET at = at - $1 * interval '1 s'`, [seconds]).then(async () => {
    for (const table of ['gap', 'outage'])
      await pool.query(
        `UPDATE ${table} SET began_at = began_at - $1 * interval '1 s', ended_at = ended_at - $1 * interval '1 s'`,
        [seconds],
      )
  })

const downtimes = async () =>
  (
    await pool.query<{ began_at: Date; ended_at: Date }>(
      `SELECT began_at, ended_at FROM gap WHERE kind = 'down' ORDER BY began_at`,
    )
  ).rows.map(({ began_at, ended_at }) => (ended_at.getTime() - began_at.getTime()) / 1000)

test('a server that was killed for a minute leaves a gap of that minute', async () => {
  await addReceiver(pool)
  await kill(await startMortal())
  expect(await downtimes()).toEqual([])
  await pass(60)
  const again = await startHeartbeat(pool)
  const [seconds = 0, ...others] = await downtimes()
  expect(seconds).toBeGreaterThanOrEqual(60)
  expect(seconds).toBeLessThan(600)
  expect(others).toEqual([])
  await again.stop()
})

test('a quick restart leaves no gap, and without any receiver nothing is expected', async () => {
  await startAndStop()
  await pass(3_600)
  await startAndStop()
  expect(await downtimes()).toEqual([])
  await addReceiver(pool)
  await pass(5)
  await startAndStop()
  expect(await downtimes()).toEqual([])
})

/** Each outage has a reason and its seconds, rounded down. */
const outages = async () =>
  (
    await pool.query<{ why: string; seconds: number }>(
      `SELECT why, floor(extract(epoch FROM ended_at - began_at))::int AS seconds FROM outage ORDER BY ended_at, began_at`,
    )
  ).rows.map(({ why, seconds }) => [why, seconds] as const)

test('each pause, start and orderly end is kept as an outage, however short', async () => {
  await addReceiver(pool)
  const heartbeat = await startHeartbeat(pool)
  expect(await outages()).toEqual([])
  await heartbeat.stop(2_000)
  expect(await outages()).toEqual([['stopped', 2]])
  await pass(7)
  const again = await startHeartbeat(pool)
  // One outage lasts as long as the pause. The other began when the process that this one replaces ended.
  expect((await outages()).slice(1).toSorted()).toEqual([
    ['no-beat', expect.closeTo(7, -1)],
    ['started', expect.closeTo(7, -1)],
  ])
  await pool.query(`UPDATE heartbeat SET at = at - interval '5 s'`)
  const breaks = async () => (await outages()).filter(([why]) => why === 'no-beat').length
  await expect.poll(breaks).toBeGreaterThan(1)
  await again.stop()
  expect(await downtimes()).toEqual([])
})

test('what came after an outage is folded again later, where it could not be at once', async () => {
  const { id } = await addReceiver(pool)
  await startAndStop()
  await pass(7)
  const [delivery] = await appendPastDeliveries(
    [{ receivedAt: new Date(), receiverId: id, body: Buffer.from('{}') }],
    pool,
  )
  await pool.query('DELETE FROM delivery_pending')
  await pool.query('ALTER TABLE delivery_pending RENAME TO away')
  const heartbeat = await startHeartbeat(pool)
  await pool.query('ALTER TABLE away RENAME TO delivery_pending')
  await foldLearnt(pool)
  expect((await pool.query('SELECT delivery_id FROM delivery_pending')).rows).toEqual([
    { delivery_id: delivery },
  ])
  expect((await pool.query(`SELECT FROM setting WHERE key LIKE 'fold-again:%'`)).rowCount).toBe(0)
  await heartbeat.stop()
  // A later test would take the delivery for a sign of life.
  await pool.query('TRUNCATE delivery, delivery_pending')
})

test('a loop of short crashes is one gap', async () => {
  await addReceiver(pool)
  for (let n = 0; n < 6; n++) {
    await startAndStop()
    await pass(25)
  }
  const [seconds = 0, ...others] = await downtimes()
  expect(seconds).toBeGreaterThanOrEqual(5 * 25)
  expect(others).toEqual([])
})

test('there is no gap while one of two servers lives', async () => {
  await addReceiver(pool)
  const one = await startMortal()
  const two = await startHeartbeat(pool)
  await kill(one)
  const lives = (await pool.query('SELECT at FROM heartbeat')).rows[0].at
  await expect.poll(async () => (await pool.query('SELECT at FROM heartbeat')).rows[0].at > lives).toBe(true)
  expect(await downtimes()).toEqual([])
  await two.stop()
  await pass(60)
  await startAndStop()
  expect(await downtimes()).toHaveLength(1)
})

test('a server that dies again and again leaves one gap', async () => {
  await addReceiver(pool)
  await startAndStop()
  for (const seconds of [60, 90]) {
    await pass(seconds)
    await kill(await startMortal())
  }
  const [seconds = 0, ...others] = await downtimes()
  expect(seconds).toBeGreaterThanOrEqual(150)
  expect(others).toEqual([])
})

test('slow pages do not delay the beat', async () => {
  await addReceiver(pool)
  const server = await startIngestServer(database.url)
  const heartbeat = await startHeartbeat(server.ingest.pool)
  const pages = Array.from({ length: 10 }, () => pool.query('SELECT pg_sleep(8)'))
  const at = async () => {
    const { rows } = await server.ingest.pool.query<{ at: Date }>('SELECT at FROM heartbeat')
    return rows[0]?.at.getTime() ?? 0
  }
  const before = await at()
  await expect.poll(at, { timeout: 7_000 }).toBeGreaterThan(before)
  await Promise.all(pages)
  await heartbeat.stop()
  await server.stop()
})

test('a pause in the heartbeat during which deliveries were stored is no downtime; the pauses around them are', async () => {
  const { id } = await addReceiver(pool)
  await startAndStop()
  await pass(300)
  // The pauses come every 20 s for the last two minutes.
  const now = Date.now()
  for (let ago = 120; ago > 0; ago -= 20)
    await pool.query(`INSERT INTO delivery (id, receiver_id, body) VALUES ($1, $2, '')`, [
      uuidv7Of(new Date(now - ago * 1_000)),
      id,
    ])
  await startAndStop()
  const [seconds = 0, ...others] = await downtimes()
  expect(others).toEqual([])
  expect(Math.abs(seconds - 180)).toBeLessThan(15)
})
