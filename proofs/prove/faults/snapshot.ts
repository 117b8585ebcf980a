import pg from 'pg'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** Windows of equal length, the first of which still has few dead rows. */
const windows = 5

/**
 * A long read transaction (as `pg_dump`) keeps dead rows from being vacuumed; taking from the queue must cost
 * no more at the end than at the beginning.
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
    // Twice is noise; without a bound it grows with every delivery.
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

/** Milliseconds: what taking from the queue took on average, and how long deliveries waited to be folded, at p99. */
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

/** Of every statement that reads the queue by its head. */
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
