import type { ChildProcess } from 'node:child_process'
import crypto from 'node:crypto'
import path from 'node:path'
import pg from 'pg'
import { applyMigrations } from '#lib/db/migrate.ts'
import { ensureDeliveryPartitions } from '#lib/db/partitions.ts'
import { toKeys } from '#lib/env.ts'
import { secretDigester } from '#lib/ingest/secret-digest.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import { endChild, said, startChild } from './processes/child.ts'

const secret = 'whsec-bench'
const perSecond = 2_000
/** Deliveries of which nothing is counted. */
const warmUpSeconds = 5

/**
 * Milliseconds from a delivery's arrival to the commit that put its event into the table, both by the database's
 * clock. Seconds of load: 60, or the word after the name.
 */
export default async function ingestLag(): Promise<void> {
  const seconds = Number(process.argv[3] ?? 60)
  const postgres = await startTemporaryPostgres('ingest-lag', ['track_commit_timestamp=on'])
  const url = await postgres.create('bench')
  await applyMigrations(url)
  await ensureDeliveryPartitions(url)
  const keys = `bench:${crypto.randomBytes(32).toString('base64')}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const receiverId = await addReceiver(client, keys)
  const server = start('server.ts', [url, keys])
  try {
    const port = await said(server)
    const load = (forSeconds: number) =>
      said(start('load.ts', [port, receiverId, secret, String(perSecond), String(forSeconds)]))
    await load(warmUpSeconds)
    const rssAtStart = await memory(server)
    const { rows: clock } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const result: SteadyResult = JSON.parse(await load(seconds))
    const rssAtEnd = await memory(server)
    await sleep(1_000)
    const left = await backlog(client)
    while ((await backlog(client)) > 0) await sleep(100)
    const { rows } = await client.query<Lag>(LAG, [clock[0]?.now])
    const lag = rows[0]
    console.log(
      `${result.stored} stored in ${seconds} s (${Math.round(result.stored / seconds)}/s), ${result.failed} not stored, ${lag?.events} events`,
    )
    console.log(`lag p50 ${lag?.p50} ms, p99 ${lag?.p99} ms, most ${lag?.most} ms`)
    console.log(
      `memory of the server ${mib(rssAtStart)} MiB at the start, ${mib(rssAtEnd)} MiB at the end of the load`,
    )
    console.log(`ingest-lag p99_ms=${lag?.p99} backlog=${left}`)
  } finally {
    await endChild(server)
    await client.end()
    await postgres.stop()
  }
}

interface Lag {
  readonly events: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** No delivery is repeated, so the commit that wrote an event last is the one that made it, or a later one. */
const LAG = `
  WITH lag AS (
    SELECT round(extract(epoch FROM pg_xact_commit_timestamp(xmin) - first_received_at) * 1000)::int AS ms
    FROM event WHERE first_received_at >= $1
  )
  SELECT count(*)::int AS events, percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50,
         percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99, max(ms) AS most
  FROM lag`

async function backlog(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM delivery_pending')
  return rows[0]?.n ?? 0
}

async function addReceiver(client: pg.Client, keys: string): Promise<string> {
  const id = crypto.randomUUID()
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  await client.query(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [id, digest, keyId],
  )
  return id
}

const start = (file: string, words: string[]) =>
  startChild(path.join(import.meta.dirname, 'ingest-lag', file), words)

async function memory(server: ChildProcess): Promise<number> {
  const answer = said(server)
  server.send('memory')
  return Number(await answer)
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)
