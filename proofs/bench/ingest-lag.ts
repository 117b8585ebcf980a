import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import pg from 'pg'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import type { LoadResult } from './ingest/load.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import { readDatabaseClock, readLag } from './ingest-lag/read-lag.ts'
import {
  countWaiting,
  createDatabase,
  endChild,
  forkChild,
  nextMessage,
  secret,
  untilFolded,
} from './processes/processes.ts'

export const when = 'how the projector is woken or gathers its batches changed'

const perSecond = 2_000
/** Deliveries of the warm-up are not counted. */
const warmUpSeconds = 5
const bareSeconds = 5

/**
 * The benchmark measures the milliseconds from a delivery's arrival to the commit of its event, by the database's clock, and
 * a bare server's deliveries per second. Seconds of load: 60, or the word after the name.
 */
export default async function ingestLag(): Promise<void> {
  const seconds = Number(process.argv[3] ?? 60)
  const postgres = await startTemporaryPostgres('ingest-lag', ['track_commit_timestamp=on'])
  try {
    const before = await measureBare(postgres, 'before')
    const { url, keys, receiverId } = await createDatabase(postgres, 'bench')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const projector = start('ingest/projector.ts', [url])
    const server = start('ingest/full-server.ts', [url, keys])
    try {
      const port = await nextMessage(server)
      const load = (forSeconds: number) =>
        nextMessage(
          start('ingest-lag/load.ts', [port, receiverId, secret, String(perSecond), String(forSeconds)]),
        )
      await load(warmUpSeconds)
      const rssAtStart = await memory(server)
      const from = await readDatabaseClock(client)
      const result: SteadyResult = JSON.parse(await load(seconds))
      const rssAtEnd = await memory(server)
      await sleep(1_000)
      const left = await countWaiting(client)
      await untilFolded(client)
      const lag = await readLag(client, from, await readDatabaseClock(client))
      console.log(
        `${result.stored} stored in ${seconds} s (${Math.round(result.stored / seconds)}/s), ${result.failed} not stored, ${lag.events} events`,
      )
      console.log(`lag p50 ${lag.p50} ms, p99 ${lag.p99} ms, most ${lag.most} ms`)
      console.log(
        `memory of the server ${mib(rssAtStart)} MiB at the start, ${mib(rssAtEnd)} MiB at the end of the load`,
      )
      const after = await measureBare(postgres, 'after')
      console.log(`ingest-lag p99_ms=${lag.p99} backlog=${left} bare_per_second=${Math.min(before, after)}`)
    } finally {
      for (const child of [server, projector]) await endChild(child)
      await client.end()
    }
  } finally {
    await postgres.stop()
  }
}

/** The measurement is that of `ingest`: the least that stores durably, with a projector beside it. */
async function measureBare(postgres: TemporaryPostgres, name: string): Promise<number> {
  const { url, keys, receiverId } = await createDatabase(postgres, name)
  const projector = start('ingest/projector.ts', [url])
  const server = start('ingest/bare.ts', [url, keys])
  const port = await nextMessage(server)
  const load = start('ingest/load.ts', [port, receiverId, secret])
  load.send(warmUpSeconds)
  await nextMessage(load)
  load.send(bareSeconds)
  const result: LoadResult = JSON.parse(await nextMessage(load))
  for (const child of [load, server, projector]) await endChild(child)
  console.log(`bare ingest ${Math.round(result.perSecond)}/s ${name} the load`)
  return Math.round(result.perSecond)
}

const start = (file: string, words: string[]) => forkChild(path.join(import.meta.dirname, file), words)

async function memory(server: ChildProcess): Promise<number> {
  const answer = nextMessage(server)
  server.send('memory')
  return Number(await answer)
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)
