import crypto from 'node:crypto'
import pg from 'pg'
import { makeMissingMonths } from '../../../lib/platform/db/month-keeper.ts'
import { firstUuidv7 } from '../../../lib/platform/db/partitions.ts'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import { type FaultTest, openTestBed, sleep, type TestBed } from './test-bed.ts'

/** The windows have equal length, and the first still has few dead rows. */
const windows = 5

/**
 * A long read transaction (as `pg_dump`) keeps dead rows from being vacuumed. Taking from the queue must cost no more at the
 * end than at the beginning.
 */
export const snapshot: FaultTest = async ({ short }) => {
  const stage = await openTestBed('snapshot', {
    settings: ['shared_preload_libraries=pg_stat_statements', 'track_commit_timestamp=on'],
  })
  try {
    await stage.ask('CREATE EXTENSION pg_stat_statements')
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port], perSecond: short ? 40 : 250 })
    await sleep(short ? 1_000 : 10_000)
    const reader = await openReader(stage)
    const seen: Window[] = []
    for (let n = 0; n < windows; n++) seen.push(await watch(stage, short ? 1_200 : 60_000))
    const [dead] = await stage.ask<{ rows: number }>(DEAD)
    await reader.query('ROLLBACK')
    await reader.end()
    await load.finish()
    const [first, last] = [seen[0], seen.at(-1)]
    if (!first || !last || (dead?.rows ?? 0) < load.delivered.length / 2)
      throw new Error(`Only ${dead?.rows} dead rows were held`)
    // A factor of two is noise. Without a bound the cost grows with every delivery.
    if (last.take > 3 * first.take + 2)
      throw new Error(`A take grew from ${first.take.toFixed(2)} to ${last.take.toFixed(2)} ms`)
    if (!short && last.lag > 2_000) throw new Error(`The last deliveries waited for ${last.lag} ms`)
    const takes = seen.map(({ take, lag }) => `${take.toFixed(2)} ms, lag ${lag} ms`)
    return `${dead?.rows} dead rows held; a take ${takes.join('; ')}: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

async function openReader(stage: TestBed): Promise<pg.Client> {
  const reader = new pg.Client({ connectionString: stage.url })
  reader.on('error', () => undefined)
  await reader.connect()
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT count(*) FROM delivery')
  return reader
}

/** The milliseconds are the mean time of taking from the queue, and the p99 of deliveries' wait to be folded. */
interface Window {
  readonly take: number
  readonly lag: number
}

async function watch(stage: TestBed, forMs: number): Promise<Window> {
  await stage.ask('SELECT pg_stat_statements_reset()')
  const [began] = await stage.ask<{ now: Date }>('SELECT clock_timestamp() AS now')
  await sleep(forMs)
  const [take] = await stage.ask<{ mean: number; calls: number }>(TAKE)
  const [lag] = await stage.ask<{ p99: number | null }>(LAG, [began?.now])
  if (!take?.calls) throw new Error('Nobody took from the queue')
  return { take: take.mean, lag: lag?.p99 ?? Number.POSITIVE_INFINITY }
}

/** The mean covers every statement that reads the head of the queue. */
const TAKE = `
  SELECT (sum(total_exec_time) / sum(calls))::float8 AS mean, sum(calls)::int AS calls FROM pg_stat_statements
  WHERE query ~ 'FROM delivery_pending' AND query ~ 'MATERIALIZED' AND query ~ 'LIMIT'`

const LAG = `
  SELECT percentile_disc(0.99) WITHIN GROUP (
    ORDER BY round(extract(epoch FROM pg_xact_commit_timestamp(xmin) - first_received_at) * 1000)::int
  ) AS p99
  FROM event WHERE first_received_at >= $1`

const DEAD = `
  SELECT n_dead_tup::int AS rows FROM pg_stat_user_tables WHERE relname = 'delivery_pending'`

/**
 * An answer may take this many milliseconds. Other faults run beside the short form, so a few answers may be late, or 503.
 */
const mostFor = 1_000
const mayBeRefused = 0.05

/**
 * Month partitions are created while a reader holds the log open (as `pg_dump` does) and while their deliveries are in the
 * default partition. No delivery may be refused or delayed, and each must be visible exactly once throughout.
 */
export const month: FaultTest = async ({ short }) => {
  const stage = await openTestBed('month')
  const reader = new pg.Client({ connectionString: stage.url })
  try {
    await reader.connect()
    const receiver = await stage.addReceiver()
    const inDefault = short ? 4_000 : 1_000_000
    await fillDefault(stage, receiver.id, inDefault)
    await reader.query('BEGIN; SELECT FROM delivery LIMIT 1')
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    let done = false
    const watching = watchOnce(stage, () => done)
    const began = performance.now()
    let tries = 0
    const go = async () => {
      tries += 1
      return await makeMissingMonths(stage.url, new Date(), () => false)
    }
    // The reader ends after the job has copied the rows and found the reader in its way.
    if (!short) while (!(await copied(stage))) if (await go()) throw new Error('The reader was not there')
    await sleep(short ? 2_500 : 30_000)
    await reader.query('COMMIT')
    while (!(await go())) await sleep(200)
    const took = Math.round((performance.now() - began) / 1_000)
    done = true
    const reads = await watching
    await load.finish()
    const slowest = Math.round(Math.max(...load.attempts.map((attempt) => attempt.took)))
    const refused = load.attempts.filter(({ status }) => status !== 200).length
    if (refused > (short ? mayBeRefused * load.attempts.length : 0))
      throw new Error(`${refused} deliveries were not taken`)
    if (!short && slowest > mostFor) throw new Error(`A delivery waited ${slowest} ms`)
    const left = await stage.ask('SELECT FROM delivery_default LIMIT 1')
    if (left.length > 0) throw new Error('The default partition still holds deliveries')
    const [total] = await stage.ask<{ count: string }>('SELECT count(*) FROM delivery')
    if (Number(total?.count) !== inDefault + load.delivered.length)
      throw new Error(`${total?.count} of ${inDefault + load.delivered.length} deliveries in the log`)
    return (
      `${inDefault} deliveries moved into months in ${took} s beside a reader, ${tries} tries, ${reads} looks; ` +
      `the slowest answer took ${slowest} ms: ${await compareWithLog(stage, load)}`
    )
  } finally {
    await reader.end()
    await stage.close()
  }
}

async function fillDefault(stage: TestBed, receiverId: string, count: number) {
  const first = firstUuidv7(Date.now() - 60_000).slice(0, 14)
  await stage.ask(
    `INSERT INTO delivery (id, receiver_id, body)
     SELECT ($2 || lpad(to_hex(n % 4096), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, convert_to('{}' || repeat(' ', 500), 'UTF8')
     FROM generate_series(1, $3::int) AS n`,
    [receiverId, `${first}7`, count],
  )
  await stage.ask('ANALYZE delivery_default')
}

const copied = async (stage: TestBed) =>
  (await stage.ask(`SELECT WHERE obj_description(to_regclass('delivery_moving')) = 'copied'`)).length === 1

/** The function reads deliveries that were there from the beginning all the while. Each has to be visible exactly once. */
async function watchOnce(stage: TestBed, isDone: () => boolean): Promise<number> {
  const ids = (await stage.ask<{ id: string }>('SELECT id FROM delivery LIMIT 300')).map(({ id }) => id)
  let reads = 0
  for (; !isDone(); reads++) {
    const some = ids[crypto.randomInt(ids.length)]
    const [seen] = await stage.ask<{ count: string; one: string }>(
      'SELECT count(*), count(*) FILTER (WHERE id = $2) AS one FROM delivery WHERE id = ANY($1::uuid[])',
      [ids, some],
    )
    if (Number(seen?.count) !== ids.length || Number(seen?.one) !== 1)
      throw new Error(`${seen?.count} of ${ids.length} deliveries were seen`)
    await sleep(20)
  }
  return reads
}
