import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { shardCount, shardHash } from '#lib/deliveries/rules/subject.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { leaseOfShard } from './shard-leases.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
let running: ChildProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiverId = (await addReceiver(pool)).id
})
afterEach(async () => {
  for (const child of running) await end(child)
  running = []
  await pool.query('DELETE FROM lease; DELETE FROM event; DELETE FROM event_delivery')
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** The projector runs in a process of its own. */
async function startProcess(): Promise<ChildProcess> {
  const child = fork('test/projector-process.ts', [database.url], {
    execArgv: ['--import', './bin/hooks.mjs'],
    silent: true,
  })
  running.push(child)
  await once(child, 'message')
  return child
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const append = (status: string) =>
  appendPastDeliveries(
    [
      {
        receivedAt: new Date(),
        receiverId,
        body: Buffer.from(JSON.stringify({ type: 'KYC', uuid: 'U-1', data: { status } })),
      },
    ],
    pool,
  )

const statuses = async () =>
  (await pool.query<{ status: string }>('SELECT status FROM event ORDER BY position')).rows.map(
    ({ status }) => status,
  )

/** This process folds the subject of these tests. */
async function holder() {
  const name = leaseOfShard(shardHash('entity:u-1') % shardCount)
  return (await pool.query<{ holder: string }>('SELECT holder FROM lease WHERE name = $1', [name])).rows[0]
    ?.holder
}

/** The result is the time in ms after `began` at which `expected` is on the timeline. */
async function foldedAfter(began: number, expected: string[]): Promise<number> {
  await expect.poll(statuses, { timeout: 15_000, interval: 20 }).toEqual(expected)
  return Date.now() - began
}

test('when the active process is killed, the other takes over', async () => {
  const active = await startProcess()
  await append('A')
  await foldedAfter(0, ['A'])
  await startProcess()
  active.kill('SIGKILL')
  const killed = Date.now()
  await append('B')
  // A free machine takes two seconds: `npm run prove -- faults replicas` measures it.
  expect(await foldedAfter(killed, ['A', 'B'])).toBeLessThan(6_000)
})

test('a frozen process writes nothing of its unfinished work, and takes its share again when it resumes', async () => {
  const frozen = await startProcess()
  await append('A')
  await foldedAfter(0, ['A'])
  const first = await holder()
  // There is work under way at this very moment.
  for (let n = 0; n < 20; n++) await append(`B${n}`)
  frozen.kill('SIGSTOP')
  const other = await startProcess()
  await append('C')
  const all = ['A', ...Array.from({ length: 20 }, (_, n) => `B${n}`), 'C']
  await foldedAfter(0, all)
  const second = await holder()
  expect(second).not.toBe(first)
  frozen.kill('SIGCONT')
  await append('D')
  await foldedAfter(0, [...all, 'D'])
  other.kill('SIGKILL')
  await append('E')
  await foldedAfter(0, [...all, 'D', 'E'])
  expect(await holder()).toBe(first)
})
