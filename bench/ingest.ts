import crypto from 'node:crypto'
import path from 'node:path'
import pg from 'pg'
import { applyMigrations } from '#lib/db/migrate.ts'
import { ensureDeliveryPartitions } from '#lib/db/partitions.ts'
import { toKeys } from '#lib/env.ts'
import { secretDigester } from '#lib/ingest/secret-digest.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../bin/temporary-postgres.ts'
import type { LoadResult } from './ingest/load.ts'
import { endChild, said, startChild } from './processes/child.ts'

const folder = path.join(import.meta.dirname, 'ingest')
const secret = 'whsec-bench'
const rounds = 6
const secondsEach = 5

/** Both sides one after the other, several times, each from an empty log; the median of their ratios counts. */
export default async function ingest(): Promise<void> {
  const postgres = await startTemporaryPostgres('bench')
  try {
    const pairs: Record<Side, LoadResult>[] = []
    for (let round = 0; round < rounds; round++) {
      const sides: readonly Side[] = round % 2 ? ['whole', 'bare'] : ['bare', 'whole']
      const pair: Partial<Record<Side, LoadResult>> = {}
      for (const side of sides) {
        const result = await measure(side, await createDatabase(postgres, `bench_${side}_${round}`))
        console.log(
          `${side.padEnd(5)} ${Math.round(result.perSecond)}/s, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, ${result.failed} not stored`,
        )
        pair[side] = result
      }
      if (pair.bare && pair.whole) pairs.push({ bare: pair.bare, whole: pair.whole })
    }
    const ratio = (figure: 'perSecond' | 'p99') =>
      median(pairs.map(({ whole, bare }) => whole[figure] / bare[figure])).toFixed(2)
    console.log(`ingest ratio=${ratio('perSecond')} p99_ratio=${ratio('p99')}`)
  } finally {
    await postgres.stop()
  }
}

type Side = 'bare' | 'whole'

async function createDatabase(postgres: TemporaryPostgres, name: string): Promise<string> {
  const url = await postgres.create(name)
  await applyMigrations(url)
  await ensureDeliveryPartitions(url)
  return url
}

async function measure(side: Side, url: string): Promise<LoadResult> {
  const keys = `bench:${crypto.randomBytes(32).toString('base64')}`
  const receiverId = await addReceiver(url, keys)
  const projector = start('projector.ts', [url])
  const server = start(`${side}.ts`, [url, keys])
  const port = await said(server)
  const load = start('load.ts', [String(port), receiverId, secret, String(secondsEach)])
  const result = JSON.parse(await said(load))
  for (const child of [load, server, projector]) await endChild(child)
  return result
}

async function addReceiver(url: string, keys: string): Promise<string> {
  const id = crypto.randomUUID()
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [id, digest, keyId],
  )
  await client.end()
  return id
}

const start = (file: string, words: string[]) => startChild(path.join(folder, file), words)

function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] =
    sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1, middle + 1)
  return (low + high) / 2
}
