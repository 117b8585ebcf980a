import fs from 'node:fs'
import zlib from 'node:zlib'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { readBacklog } from '../../../lib/timeline/projector/read-backlog.ts'
import { untilOnTimeline } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** Names a dump of a database that an older program left: SQL, compressed by gzip. */
const dumpVariable = 'RAMPART_DUMP'

/** Deliveries of the older database, where no dump is given. */
const olderDeliveries = 400

/** Milliseconds in which everything is rebuilt. */
const patience = 600_000

/**
 * A database of an older program is started under this one: its tables are migrated and its rows made anew beside fresh
 * deliveries, and nothing is missing. Without a dump, it has the tables of version 0.2.0, whose rows older rules made.
 */
export const upgrade: FaultTest = async () => {
  const file = process.env[dumpVariable]
  const dump = file === undefined ? undefined : zlib.gunzipSync(fs.readFileSync(file)).toString()
  const stage = await openTestBed('upgrade', dump === undefined ? {} : { dump })
  try {
    if (dump === undefined) await fillByOlderRules(stage)
    const old = await idsOf(stage, 'SELECT id FROM delivery UNION SELECT delivery_id FROM event_delivery')
    const began = performance.now()
    // `npm start` keeps this order: indexes are built beside the first deliveries.
    await applyMigrations(stage.url, { concurrent: 'no' })
    const server = await stage.addServer()
    const indexes = applyMigrations(stage.url)
    const load = startSenderLoad({ receiver: await stage.addReceiver(), ports: () => [server.port] })
    await Promise.all([untilRebuilt(stage.url), indexes])
    const seconds = (performance.now() - began) / 1_000
    const meanwhile = load.delivered.length
    if (meanwhile === 0) throw new Error('Nothing fresh came meanwhile: this run proves nothing')
    await load.finish()
    await untilOnTimeline(stage, load.delivered)
    const folded = new Set(await idsOf(stage, 'SELECT delivery_id AS id FROM event_delivery'))
    const missing = old.filter((id) => !folded.has(id))
    if (missing.length > 0) throw new Error(`${missing.length} are missing, such as ${missing[0]}`)
    return `${old.length} deliveries of an older version, all there ${seconds.toFixed(1)} s after the start; ${meanwhile} fresh meanwhile, each there once`
  } finally {
    await stage.close()
  }
}

async function fillByOlderRules(stage: TestBed) {
  const server = await stage.addServer()
  const projector = await stage.addProjector()
  const load = startSenderLoad({
    receiver: await stage.addReceiver(),
    ports: () => [server.port],
    perSecond: 200,
  })
  while (load.delivered.length < olderDeliveries) await sleep(50)
  await load.finish()
  await untilOnTimeline(stage, load.delivered)
  await Promise.all([server.kill('SIGTERM'), projector.kill('SIGTERM')])
  await stage.ask(`UPDATE setting SET value = to_jsonb(value::int - 1) WHERE key = 'rules-version'`)
}

async function untilRebuilt(url: string) {
  const pool = openPool(url, 1)
  const until = performance.now() + patience
  try {
    for (;;) {
      const { rebuild, outdated } = await readBacklog(pool)
      if (rebuild === null && !outdated) return
      if (performance.now() > until) throw new Error(`Rebuilt ${rebuild?.done} of ${rebuild?.total}`)
      await sleep(100)
    }
  } finally {
    await pool.end()
  }
}

const idsOf = async (stage: TestBed, sql: string) =>
  (await stage.ask<{ id: string }>(sql)).map(({ id }) => id)
