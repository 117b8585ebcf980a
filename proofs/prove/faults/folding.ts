import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { rebuild as rebuildAll } from '../../../lib/timeline/projector/rebuild.ts'
import { digestOf } from '../../../test/projections.ts'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import type { Process } from './process.ts'
import {
  type FaultTest,
  foldedContent,
  openTestBed,
  sleep,
  type TestBed,
  waitUntilFolded,
  withClient,
} from './test-bed.ts'

/** A fresh delivery becomes an event within 2 s as promised, and the rest of these milliseconds is for a busy machine. */
const maxDelayMs = { short: 6_000, long: 2_000 }

/**
 * Everything is rebuilt beside fresh deliveries, which are folded within 2 s all the while. Every damaged row must be
 * restored. A second rebuild runs while projectors are killed.
 */
export const rebuild: FaultTest = async ({ short }) => {
  const stage = await openTestBed('rebuild', { settings: ['track_commit_timestamp=on'] })
  try {
    const receivers = [await stage.addReceiver(), await stage.addReceiver()] as const
    const stored = await storePastDeliveries(
      stage.url,
      receivers.map(({ id }) => id),
      short ? 300 : 8_000,
    )
    const server = await stage.addServer()
    await waitUntilFolded(stage.url)
    const ids = await stage.ask<{ id: string }>('SELECT DISTINCT subject_id AS id FROM event_delivery')
    const subjects = ids.map(({ id }) => id)
    const content = () => withClient(stage.url, (client) => digestOf(client, subjects))
    const before = await content()
    const load = startSenderLoad({ receiver: receivers[0], ports: () => [server.port] })
    const seen: string[] = []
    for (const isStruck of short ? [false] : [false, true]) {
      await damage(stage)
      const second = isStruck ? await stage.addProjector() : null
      const { seconds, fresh } = await run(stage, second)
      await second?.kill('SIGKILL')
      await waitUntilFolded(stage.url)
      if ((await content()) !== before) throw new Error('Rows are not what they were')
      const most = Math.max(0, ...fresh)
      if (!isStruck && most > maxDelayMs[short ? 'short' : 'long'])
        throw new Error(`A fresh delivery waited for ${most} ms`)
      seen.push(
        `${isStruck ? 'with kills ' : ''}in ${seconds.toFixed(1)} s, ${fresh.length} fresh meanwhile, folded after ${most} ms at most`,
      )
    }
    await load.finish()
    return `${stored} deliveries rebuilt ${seen.join('; ')}, rows the same to the bit: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/** The function deletes or changes a tenth of everything. */
async function damage(stage: TestBed) {
  const tenth = (id: string) => `hashtext(${id}::text) % 10 = 0`
  await stage.ask(`DELETE FROM event WHERE ${tenth('id')}`)
  await stage.ask(`DELETE FROM identifier WHERE ${tenth('subject_id')}`)
  await stage.ask(`UPDATE event_delivery SET event_id = delivery_id WHERE ${tenth('delivery_id')}`)
  await stage.ask(`UPDATE transaction SET step = 'FAILED', amount_fiat = 1 WHERE ${tenth('subject_id')}`)
}

/** @returns how long each fresh delivery of that time waited, in milliseconds */
async function run(stage: TestBed, killed: Process | null) {
  const pool = openPool(stage.url, 2)
  const from = await clock(stage)
  const began = performance.now()
  let finished = false
  const killing = (async () => {
    while (killed && !finished) {
      await sleep(crypto.randomInt(200, 1_500))
      await killed.kill('SIGKILL')
      await killed.start()
    }
  })()
  const { kind, deadLetters } = await rebuildAll(pool, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })
  const seconds = (performance.now() - began) / 1_000
  finished = true
  await killing
  await pool.end()
  if (kind !== 'finished' || deadLetters > 0) throw new Error(`${kind}, ${deadLetters} dead letters`)
  const until = await clock(stage)
  // The last deliveries may still be waiting.
  await waitUntilFolded(stage.url)
  const rows = await stage.ask<{ ms: number }>(FRESH, [from, until])
  return { seconds, fresh: rows.map(({ ms }) => ms) }
}

async function clock(stage: TestBed): Promise<Date> {
  const [row] = await stage.ask<{ now: Date }>('SELECT clock_timestamp() AS now')
  return row?.now ?? new Date()
}

const FRESH = `
  SELECT round(extract(epoch FROM pg_xact_commit_timestamp(xmin) - first_received_at) * 1000)::int AS ms
  FROM event WHERE first_received_at >= $1 AND first_received_at < $2`

const projectors = 3

/** Several projectors, killed and frozen at random, must leave the same rows as one alone, however the queue is divided. */
export const shards: FaultTest = async ({ short }) => {
  const stage = await openTestBed('shards')
  try {
    const receivers = [(await stage.addReceiver()).id, (await stage.addReceiver()).id]
    const deliveries = await storePastDeliveries(stage.url, receivers, short ? 150 : 2_000)
    const expected = await foldAlone(stage)
    const seen: string[] = []
    for (const count of short ? [4] : [1, 2, 4, 8]) {
      const url = await stage.copy(`shards_${count}`)
      const killed = await foldWhileKilling(stage, url, count)
      if ((await foldedContent(url)) !== expected) throw new Error(`Other rows with ${count} shards`)
      seen.push(`${count} shards: ${killed.killed} killed, ${killed.frozen} frozen`)
    }
    return `${deliveries} deliveries folded by ${projectors} projectors, rows the same to the bit (${seen.join('; ')})`
  } finally {
    await stage.close()
  }
}

async function foldAlone(stage: TestBed): Promise<string> {
  const url = await stage.copy('alone')
  const projector = await stage.addProjector({ url, shards: 1 })
  await waitUntilFolded(url)
  await projector.kill('SIGKILL')
  return foldedContent(url)
}

/** Each projector is killed or frozen repeatedly while the queue gets deliveries. */
async function foldWhileKilling(stage: TestBed, url: string, count: number) {
  const feed = await holdBack(url)
  const all = await Promise.all(
    Array.from({ length: projectors }, () => stage.addProjector({ url, shards: count })),
  )
  const struck = { killed: 0, frozen: 0 }
  let isOver = false
  const killing = all.map(async (one) => {
    // The first strike comes early, because a short queue may be fed within a second.
    for (let longest = 100; !isOver; longest = 1_500) {
      await sleep(crypto.randomInt(longest / 10, longest))
      if (!isOver) struck[await killOrFreeze(one)] += 1
    }
  })
  await feed()
  isOver = true
  await Promise.all(killing)
  await waitUntilFolded(url)
  await Promise.all(all.map((one) => one.kill('SIGKILL')))
  if (struck.killed + struck.frozen === 0) throw new Error('Nothing happened to any of them')
  return struck
}

/**
 * The function empties the queue.
 * @returns a function that refills it in small portions, so that projectors are killed in the middle of their work
 */
async function holdBack(url: string): Promise<() => Promise<void>> {
  await withClient(url, async (client) => {
    await client.query('CREATE TABLE held_back AS TABLE delivery_pending')
    await client.query('DELETE FROM delivery_pending')
  })
  return () =>
    withClient(url, async (client) => {
      while ((await client.query(FEED)).rowCount) await sleep(10)
    })
}

const FEED = `
  WITH next AS (
    DELETE FROM held_back WHERE delivery_id IN (SELECT delivery_id FROM held_back ORDER BY delivery_id LIMIT 15)
    RETURNING *
  )
  INSERT INTO delivery_pending SELECT * FROM next`

async function killOrFreeze(one: Process): Promise<'killed' | 'frozen'> {
  if (Math.random() < 0.5) {
    await one.kill('SIGKILL')
    await one.start()
    return 'killed'
  }
  one.freeze()
  // A lease lasts 1.4 s: some projectors return in time, and others find that their lease was taken over.
  await sleep(crypto.randomInt(200, 2_500))
  one.thaw()
  return 'frozen'
}

/** Each transaction or account of a group takes a step before any takes the next. */
const group = 100

const steps = ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']
const states = ['WAITING_CREATION', 'ACTIVE', 'DISABLED', 'ACTIVE']

/**
 * The function queues deliveries of so many transactions and a tenth as many accounts, at several receivers. Some come
 * twice, some answers were lost, some cannot be read, and one company has its share of all.
 * @returns how many there are
 */
async function storePastDeliveries(
  url: string,
  receivers: readonly string[],
  transactions: number,
): Promise<number> {
  const pool = openPool(url, 1)
  let stored = 0
  for (let n = 0; n < transactions; n += group) {
    const batch = [...bodiesOfGroup(Math.min(group, transactions - n))].map((body) => ({
      id: uuidv7(),
      receiverId: receivers[crypto.randomInt(receivers.length)] ?? '',
      body: Buffer.from(body),
    }))
    for (let from = 0; from < batch.length; from += 200)
      await insertDeliveries(pool, batch.slice(from, from + 200), 60_000)
    const lost = batch.filter(() => chance(0.03)).map(({ id }) => id)
    await pool.query(
      `INSERT INTO answer_lost (delivery_id, cause) SELECT unnest($1::uuid[]), 'connection-closed'`,
      [lost],
    )
    stored += batch.length
  }
  await pool.end()
  return stored
}

function* bodiesOfGroup(transactions: number): Generator<string> {
  const ids = Array.from({ length: transactions }, () => crypto.randomUUID())
  const accounts = ids.filter((_, n) => n % 10 === 0).map(() => crypto.randomUUID())
  for (const [n, subType] of steps.entries()) {
    for (const transactionUuid of ids) {
      const data = { transactionUuid, status: `${subType}-${n}`, amountFiat: 4.76, fees: 0.1 }
      yield* perhapsTwice({ type: 'fiatToCrypto', subType, uuid: company, data })
    }
    for (const uuid of accounts) {
      const status = states[n] ?? 'ACTIVE'
      yield* perhapsTwice({
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid: company,
        data: { uuid, status },
      })
    }
    yield* perhapsTwice({
      type: 'AML',
      subType: 'alert',
      uuid: company,
      data: { alert: crypto.randomUUID() },
    })
  }
  yield `no json ${crypto.randomUUID()}`
}

const company = 'c0ffee00-0000-4000-8000-000000000001'

function* perhapsTwice(envelope: object): Generator<string> {
  yield JSON.stringify(envelope)
  if (chance(0.1)) yield JSON.stringify(envelope, null, 1)
}

const chance = (share: number) => Math.random() < share
