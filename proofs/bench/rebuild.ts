import path from 'node:path'
import pg from 'pg'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { rebuild } from '../../lib/timeline/projector/rebuild.ts'
import { fillQueue, lastWaiting, untilEmpty } from './drain/queue.ts'
import type { SteadyResult } from './ingest-lag/load.ts'
import { readDatabaseClock, readLag } from './ingest-lag/read-lag.ts'
import { createDatabase, endChild, forkChild, nextMessage, secret } from './processes/processes.ts'

export const when = 'how everything is folded anew beside fresh traffic changed'

/** The constants are the rate of deliveries that arrive meanwhile, and their seconds before the rebuild begins. */
const freshPerSecond = 200
const warmUpSeconds = 5

const start = (file: string, words: string[]) => forkChild(path.join(import.meta.dirname, file), words)

/**
 * The benchmark folds everything, then rebuilds everything beside new deliveries with the same projector. It measures the
 * rate, and how long new deliveries wait. 100,000 deliveries, or the number after the name.
 */
export default async function measureRebuild(): Promise<void> {
  const deliveries = Number(process.argv[3] ?? 100_000)
  const postgres = await startTemporaryPostgres('rebuild', ['track_commit_timestamp=on'])
  try {
    const database = await createDatabase(postgres, 'bench')
    await fillQueue(database, deliveries)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const last = await lastWaiting(client)
    const projector = start('drain/fold.ts', [database.url])
    const server = start('ingest/full-server.ts', [database.url, database.keys])
    const [, port] = await Promise.all([nextMessage(projector), nextMessage(server)])
    try {
      const drained = deliveries / (await secondsOf(() => begin(projector, () => untilEmpty(client, last))))
      console.log(`${Math.round(drained)}/s folded with nothing beside it`)
      const words = [port, database.receiverId, secret, String(freshPerSecond), '36000']
      const load = start('ingest-lag/load.ts', words)
      await new Promise((resolve) => setTimeout(resolve, warmUpSeconds * 1_000))
      const from = await readDatabaseClock(client)
      let made = 0
      const seconds = await secondsOf(async () => {
        made = await rebuildAll(database.url)
      })
      const until = await readDatabaseClock(client)
      const ended = nextMessage(load)
      load.send('end')
      const result: SteadyResult = JSON.parse(await ended)
      await untilEmpty(client, last)
      const fresh = await readLag(client, from, until)
      console.log(`${Math.round(made / seconds)}/s rebuilt, ${made} deliveries in ${seconds.toFixed(1)} s`)
      console.log(
        `${fresh.events} fresh events meanwhile, p50 ${fresh.p50} ms, p99 ${fresh.p99} ms, most ${fresh.most} ms; ${result.failed} not stored`,
      )
      console.log(`rebuild ratio=${(made / seconds / drained).toFixed(2)} fresh_p99_ms=${fresh.p99}`)
    } finally {
      for (const child of [server, projector]) await endChild(child)
      await client.end()
    }
  } finally {
    await postgres.stop()
  }
}

/** @returns how many deliveries were rebuilt */
async function rebuildAll(url: string): Promise<number> {
  const pool = openPool(url, 2)
  try {
    const end = await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
    if (end.kind !== 'finished' || end.deadLetters > 0) throw new Error('Not everything could be rebuilt')
    return end.done
  } finally {
    await pool.end()
  }
}

async function begin(projector: ReturnType<typeof start>, wait: () => Promise<void>) {
  projector.send('begin')
  await wait()
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}
