import crypto from 'node:crypto'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { rebuild as rebuildAll } from '../../../lib/timeline/projector/rebuild.ts'
import { digestOf } from '../../../test/projections.ts'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import type { Process } from './process.ts'
import { storePastDeliveries } from './store-past-deliveries.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'
import { waitUntilFolded, withClient } from './wait-until-folded.ts'

/** Milliseconds from a fresh delivery's arrival to its event: 2 s are promised, the rest is for a busy machine. */
const maxDelayMs = { short: 6_000, long: 2_000 }

/**
 * Everything is rebuilt beside fresh deliveries, which are folded within 2 s all the while, and every damaged row is
 * again what it was; then once more, while projectors are killed.
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

/** A tenth of everything: lost, or other than it was. */
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
  // The last ones may be waiting still.
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
