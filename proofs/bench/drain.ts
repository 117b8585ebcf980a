import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import pg from 'pg'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { digestOf } from '../../test/projections.ts'
import { deliveriesPerGroup, fillQueue, sizesOf } from './drain/queue.ts'
import { cpuSecondsOf, createDatabase, endChild, forkChild, nextMessage } from './processes/processes.ts'

export const when = 'what folds a queue changed: projector, statements, indexes of the tables it writes'

const parts = 10

/**
 * The benchmark compares folding a full queue with a bare loop that writes the same into a copy of the database. They take
 * turns part by part, and the median of the ratios counts. Deliveries: 200,000, or the word after the name.
 */
export default async function drain(): Promise<void> {
  const part = Math.ceil(Number(process.argv[3] ?? 200_000) / parts / deliveriesPerGroup) * deliveriesPerGroup
  const postgres = await startTemporaryPostgres('drain')
  const sides: Side[] = []
  try {
    const queue = await createDatabase(postgres, 'queue')
    await fillQueue(queue, part * parts)
    const fold = await openSide(postgres, 'fold')
    sides.push(fold)
    const bare = await openSide(postgres, 'write')
    sides.push(bare)
    for (let n = 0; n < parts; n++) {
      const turns = [() => foldPart(fold, part * (n + 1)), () => writePart(bare, part)]
      for (const turn of n % 2 ? turns.reverse() : turns) await turn()
      console.log(`part ${n + 1}: ${rate(fold.took[n])}/s folded, ${rate(bare.took[n])}/s written`)
    }
    if ((await digestOf(fold.client)) !== (await digestOf(bare.client)))
      throw new Error('The bare loop did not write the rows that the projector writes')
    report('folded ', fold.took)
    report('written', bare.took)
    const bytes = await reportSizes(postgres, part * parts)
    const ratio = median(fold.took.map((took, n) => took.deliveries / took.seconds / perSecond(bare.took[n])))
    const folded = Math.round(median(fold.took.map(perSecond)))
    const wal = Math.round(sum(fold.took, 'wal') / sum(fold.took, 'deliveries'))
    console.log(`drain ratio=${ratio.toFixed(2)} per_second=${folded} bytes=${bytes} wal=${wal}`)
  } finally {
    for (const { child, client } of sides) {
      await endChild(child)
      await client.end()
    }
    await postgres.stop()
  }
}

/** A side writes its own copy of the queue: the projector, or the bare loop. */
interface Side {
  readonly child: ChildProcess
  readonly client: pg.Client
  readonly postgres: TemporaryPostgres
  readonly took: PartCost[]
}

/** A part's cost has the processor time, in seconds, of the process and of PostgreSQL. */
interface PartCost {
  readonly deliveries: number
  readonly seconds: number
  readonly node: number
  readonly postgres: number
  /** The size is in bytes. */
  readonly wal: number
}

async function openSide(postgres: TemporaryPostgres, name: 'fold' | 'write'): Promise<Side> {
  const url = await postgres.create(name, 'queue')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const child = forkChild(path.join(import.meta.dirname, 'drain', `${name}.ts`), [url])
  await nextMessage(child)
  return { child, client, postgres, took: [] }
}

/** The side folds until this many deliveries are gone in all. It ends with a whole batch, so a few more may be gone. */
async function foldPart(side: Side, gone: number) {
  const { child, client } = side
  const before = await waiting(client)
  const { rows } = await client.query<{ id: string }>(NTH, [gone - 1])
  await measure(side, async () => {
    const began = performance.now()
    child.send('begin')
    while (await isWaiting(client, rows[0]?.id ?? '')) await new Promise((resolve) => setTimeout(resolve, 20))
    const cpu = nextMessage(child)
    child.send('pause')
    const node = Number(await cpu)
    const seconds = (performance.now() - began) / 1_000
    return { deliveries: before - (await waiting(client)), seconds, node }
  })
}

async function writePart(side: Side, deliveries: number) {
  const { child } = side
  const ready = nextMessage(child)
  child.send(String(deliveries))
  await ready
  await measure(side, async () => {
    const written = nextMessage(child)
    child.send('write')
    const { seconds, cpu } = JSON.parse(await written)
    return { deliveries, seconds, node: cpu }
  })
}

async function measure(
  { client, postgres, took }: Side,
  work: () => Promise<Omit<PartCost, 'postgres' | 'wal'>>,
): Promise<void> {
  const before = { wal: await walOf(client), cpu: cpuSecondsOf(postgres.pid) }
  const done = await work()
  const cpu = cpuSecondsOf(postgres.pid) - before.cpu
  took.push({ ...done, postgres: cpu, wal: (await walOf(client)) - before.wal })
}

const NTH = 'SELECT id FROM delivery ORDER BY id OFFSET $1 LIMIT 1'

async function waiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM delivery_pending')
  return rows[0]?.n ?? 0
}

async function isWaiting(client: pg.Client, id: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM delivery_pending WHERE delivery_id <= $1 LIMIT 1', [
    id,
  ])
  return rowCount === 1
}

async function walOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`,
  )
  return Number(rows[0]?.bytes)
}

function report(word: string, took: readonly PartCost[]) {
  const each = (figure: 'node' | 'postgres' | 'wal') => sum(took, figure) / sum(took, 'deliveries')
  const rates = `${Math.round(median(took.map(perSecond)))}/s (${Math.round(sum(took, 'deliveries') / sum(took, 'seconds'))}/s over all)`
  console.log(
    `${word} ${rates}; seconds of processor for 1,000: Node ${(each('node') * 1_000).toFixed(2)}, PostgreSQL ${(each('postgres') * 1_000).toFixed(2)}; WAL ${Math.round(each('wal'))} bytes each`,
  )
}

/** @returns bytes for each delivery, over all tables with their indexes */
async function reportSizes(postgres: TemporaryPostgres, deliveries: number): Promise<number> {
  const sizes = await sizesOf(postgres.url('fold'))
  const each = (bytes: number) => String(Math.round(bytes / deliveries)).padStart(6)
  console.log('bytes for each delivery:  table indexes')
  for (const { name, table, indexes } of sizes) {
    if (table + indexes > deliveries) console.log(`${name.padEnd(24)} ${each(table)}  ${each(indexes)}`)
  }
  return Math.round(sizes.reduce((all, { table, indexes }) => all + table + indexes, 0) / deliveries)
}

const perSecond = (took: PartCost | undefined) => (took ? took.deliveries / took.seconds : Number.NaN)
const rate = (took: PartCost | undefined) => Math.round(perSecond(took))
const sum = (took: readonly PartCost[], figure: keyof PartCost) =>
  took.reduce((all, one) => all + one[figure], 0)

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}
