import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import type { Key } from '#lib/platform/env.ts'
import { addReceiver, startIngestServer, testKey } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { shortLived } from '../../../test/short-lived.ts'

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

const [k1, k2] = [testKey('k1'), testKey('k2', 8)]

interface Replica {
  readonly port: number
  stop(): Promise<void>
}

/** The servers get deliveries in turn, as behind a proxy. */
let replicas: Replica[]
let receivers: { id: string; authorization: string }[]
/** The service's answers are counted by status. */
let answers: Map<number, number>
let sending: Promise<void>
let sends: boolean

async function start(...keys: readonly [Key, ...Key[]]): Promise<Replica> {
  const server = await startIngestServer(database.url, { keys })
  await server.ingest.begin()
  return server
}

/** The replica is a process that is killed instead of being stopped. */
async function startMortal({ id, bytes }: Key): Promise<Replica> {
  const child = fork('test/ingest-process.ts', [database.url, `${id}:${bytes.toString('base64')}`], {
    execArgv: [...shortLived, '--import', './bin/hooks.mjs'],
  })
  const [port] = await once(child, 'message')
  return {
    port,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The replica is first taken from behind the proxy, as at a deployment. */
async function stop(replica: Replica) {
  replicas = replicas.filter((one) => one !== replica)
  await afterMoreDeliveries()
  await replica.stop()
}

async function send() {
  for (let n = 0; sends; n++) {
    const replica = replicas[n % replicas.length]
    const receiver = receivers[n % receivers.length]
    if (!replica || !receiver) throw new Error('Nobody is there')
    const { status } = await fetch(`http://127.0.0.1:${replica.port}/api/webhooks/${receiver.id}`, {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body: `{"n":${n}}`,
    })
    answers.set(status, (answers.get(status) ?? 0) + 1)
    await pause(5)
  }
}

const sent = () => [...answers.values()].reduce((sum, count) => sum + count, 0)

/** The number is enough for each replica to have had a delivery of each receiver. */
async function afterMoreDeliveries() {
  const until = sent() + 30
  await expect.poll(sent).toBeGreaterThan(until)
}

const keysInUse = async () =>
  (await pool.query('SELECT DISTINCT secret_key_id AS id FROM receiver ORDER BY 1')).rows.map(({ id }) => id)

beforeEach(async () => {
  await pool.query('DELETE FROM receiver')
  await pool.query('DELETE FROM lease')
  receivers = [await addReceiver(pool), await addReceiver(pool), await addReceiver(pool)]
  replicas = [await start(k1), await start(k1)]
  answers = new Map()
  sends = true
  sending = send()
})
afterEach(async () => {
  sends = false
  await sending
  for (const replica of replicas) await replica.stop()
})

test('a key is replaced on two replicas, one after the other, without a single answer but 200', async () => {
  for (const replica of [...replicas]) {
    await afterMoreDeliveries()
    expect(await keysInUse()).toEqual(['k1'])
    await stop(replica)
    replicas = [...replicas, await start(k2, k1)]
  }
  await expect.poll(keysInUse).toEqual(['k2'])
  // The secrets are the same, so no call with a wrong one counts as that of a sender with an earlier secret.
  const changed = await pool.query('SELECT id FROM receiver WHERE updated_at <> created_at')
  expect(changed.rows).toEqual([])
  await afterMoreDeliveries()
  for (const replica of [...replicas]) {
    await stop(replica)
    replicas = [...replicas, await start(k2)]
    await afterMoreDeliveries()
  }
  expect([...answers.keys()]).toEqual([200])
})

test('the other replicas wait for a replica that died, since it may come back with its old keys', async () => {
  const mortal = await startMortal(k1)
  const others = replicas
  replicas = [...others, mortal]
  for (const replica of others) await stop(replica)
  replicas = [...replicas, await start(k2, k1)]
  await stop(mortal)
  await afterMoreDeliveries()
  expect(await keysInUse()).toEqual(['k1'])
  replicas = [...replicas, await start(k1)]
  await afterMoreDeliveries()
  expect([...answers.keys()]).toEqual([200])
})

test('replicas with different keys of one name use the key that both have', async () => {
  for (const other of [k2, testKey('k2', 9)]) {
    // The first alone would go over to its k2 while a busy machine starts the second.
    const [replica] = replicas
    replicas = [...replicas, await start(other, k1)]
    if (replica) await stop(replica)
    await afterMoreDeliveries()
  }
  await afterMoreDeliveries()
  expect(await keysInUse()).toEqual(['k1'])
  expect([...answers.keys()]).toEqual([200])
})

test('other stored values use the key that the other replicas can read', async () => {
  const agreed: string[] = []
  const server = await startIngestServer(database.url, {
    keys: [k2, k1],
    onAgreed: ({ writes, moves }) => void agreed.push(`${writes} ${moves}`),
  })
  expect(agreed).toEqual(['k1 false'])
  await server.ingest.begin()
  expect(new Set(agreed)).toEqual(new Set(['k1 false']))
  for (const replica of [...replicas]) {
    const next = await start(k2, k1)
    replicas = [...replicas, next]
    await stop(replica)
  }
  await expect.poll(() => agreed.at(-1)).toBe('k2 true')
  await server.stop()
})
