import path from 'node:path'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { applyMigrations } from '#lib/db/migrate.ts'
import { ensureDeliveryPartitions } from '#lib/db/partitions.ts'
import { openPool } from '#lib/db/pool.ts'
import { insertDeliveries } from '#lib/ingest/insert-deliveries.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../bin/temporary-postgres.ts'
import { bodyOf, wholeGroup } from './drain/bodies.ts'
import { contentOf, sizesOf } from './drain/tables.ts'
import { endChild, said, startChild } from './processes/child.ts'
import { cpuSecondsOf } from './processes/cpu.ts'

const folder = path.join(import.meta.dirname, 'drain')

/**
 * How fast a full queue is folded, beside a bare loop that writes the same rows, by turns. Deliveries: 200,000, or the
 * word after the name.
 */
export default async function drain(): Promise<void> {
  const wanted = Number(process.argv[3] ?? 200_000)
  const deliveries = Math.ceil(wanted / wholeGroup) * wholeGroup
  const postgres = await startTemporaryPostgres('drain')
  try {
    await fillQueue(await postgres.create('queue'), deliveries)
    const results: Record<Side, Result[]> = { fold: [], bare: [] }
    const contents = new Set<string>()
    for (const [turn, side] of (['fold', 'bare', 'bare', 'fold'] as const).entries()) {
      const result = await measure(postgres, side, `${side}_${turn}`, deliveries)
      results[side].push(result)
      contents.add(result.content)
      console.log(
        `${side} ${Math.round(result.perSecond)}/s; seconds of processor for 1,000 deliveries: Node ${perThousand(result.node)}, PostgreSQL ${perThousand(result.postgres)}; WAL ${Math.round(result.wal)} bytes each`,
      )
    }
    if (contents.size > 1) throw new Error('The bare loop did not write the rows that the projector writes')
    const bytes = await tellSizes(postgres, deliveries)
    const [folded, bare] = [medianOf(results.fold, 'perSecond'), medianOf(results.bare, 'perSecond')]
    const wal = Math.round(medianOf(results.fold, 'wal'))
    console.log(
      `drain ratio=${(folded / bare).toFixed(2)} per_second=${Math.round(folded)} bytes=${bytes} wal=${wal}`,
    )
  } finally {
    await postgres.stop()
  }
}

type Side = 'fold' | 'bare'

/** Of one delivery; processor time in seconds. */
interface Result {
  readonly perSecond: number
  readonly node: number
  readonly postgres: number
  readonly wal: number
  /** What the tables hold at the end, as a digest. */
  readonly content: string
}

/** By the statement that stores what arrives. */
async function fillQueue(url: string, deliveries: number) {
  await applyMigrations(url)
  await ensureDeliveryPartitions(url)
  const pool = openPool(url, 1)
  const receiverId = uuidv7()
  await pool.query(`INSERT INTO receiver (id, state) VALUES ($1, 'active')`, [receiverId])
  let bytes = 0
  for (let n = 0; n < deliveries; n += 200) {
    const bodies = Array.from({ length: Math.min(200, deliveries - n) }, (_, i) => bodyOf(n + i))
    for (const body of bodies) bytes += body.length
    const batch = bodies.map((body) => ({ id: uuidv7(), receiverId, body }))
    await insertDeliveries(pool, batch, 60_000)
  }
  await pool.query('VACUUM (ANALYZE)')
  await pool.end()
  console.log(`${deliveries} deliveries wait, ${Math.round(bytes / deliveries)} bytes each`)
}

async function measure(
  postgres: TemporaryPostgres,
  side: Side,
  name: string,
  deliveries: number,
): Promise<Result> {
  const url = await postgres.create(name, 'queue')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CHECKPOINT')
    const before = { wal: await walOf(client), postgres: cpuSecondsOf(postgres.pid) }
    const { seconds, cpu } = side === 'fold' ? await fold(client, url) : await write(url)
    const used = cpuSecondsOf(postgres.pid) - before.postgres
    return {
      perSecond: deliveries / seconds,
      node: cpu / deliveries,
      postgres: used / deliveries,
      wal: ((await walOf(client)) - before.wal) / deliveries,
      content: await contentOf(client),
    }
  } finally {
    await client.end()
  }
}

interface Took {
  readonly seconds: number
  readonly cpu: number
}

async function fold(client: pg.Client, url: string): Promise<Took> {
  const { rows } = await client.query<{ id: string }>(LAST)
  const projector = startChild(path.join(folder, 'fold.ts'), [url])
  await said(projector)
  const began = performance.now()
  projector.send('begin')
  while (await isWaiting(client, rows[0]?.id ?? '')) await new Promise((resolve) => setTimeout(resolve, 20))
  const seconds = (performance.now() - began) / 1_000
  const cpu = said(projector)
  projector.send('end')
  const took = { seconds, cpu: Number(await cpu) }
  await endChild(projector)
  return took
}

async function write(url: string): Promise<Took> {
  const writer = startChild(path.join(folder, 'write.ts'), [url])
  const took: Took = JSON.parse(await said(writer))
  await endChild(writer)
  return took
}

const LAST = 'SELECT max(delivery_id::text) AS id FROM delivery_pending'

/** The last delivery nearly always answers it: only without it is the whole queue looked at. */
async function isWaiting(client: pg.Client, last: string): Promise<boolean> {
  const { rows } = await client.query<{ waiting: boolean }>(
    `SELECT EXISTS (SELECT FROM delivery_pending WHERE delivery_id = $1)
         OR EXISTS (SELECT FROM delivery_pending) AS waiting`,
    [last],
  )
  return rows[0]?.waiting ?? false
}

async function walOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`,
  )
  return Number(rows[0]?.bytes)
}

/** @returns bytes for each delivery, over all tables with their indexes */
async function tellSizes(postgres: TemporaryPostgres, deliveries: number): Promise<number> {
  const sizes = await sizesOf(postgres.url('fold_0'))
  const each = (bytes: number) => String(Math.round(bytes / deliveries)).padStart(6)
  console.log('bytes for each delivery:  table indexes')
  for (const { name, table, indexes } of sizes) {
    if (table + indexes > deliveries) console.log(`${name.padEnd(24)} ${each(table)}  ${each(indexes)}`)
  }
  return Math.round(sizes.reduce((sum, { table, indexes }) => sum + table + indexes, 0) / deliveries)
}

const perThousand = (seconds: number) => (seconds * 1_000).toFixed(2)

function medianOf(results: readonly Result[], figure: 'perSecond' | 'wal'): number {
  const [low = 0, high = 0] = results.map((result) => result[figure])
  return (low + high) / 2
}
