import fs from 'node:fs'
import net from 'node:net'
import zlib from 'node:zlib'
import { freePort } from '../../../bin/postgres.ts'
import { shardCount } from '../../../lib/deliveries/rules/subject.ts'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { readBacklog } from '../../../lib/timeline/projector/rebuild-progress.ts'
import { compareWithLog, untilOnTimeline } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import { type FaultTest, openTestBed, sleep, type TestBed } from './test-bed.ts'

/** The server is killed with `kill -9` at random moments under load. */
export const kill: FaultTest = async ({ short }) => {
  const stage = await openTestBed('kill')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    const times = short ? 3 : 20
    for (let n = 0; n < times; n++) {
      await sleep(200 + Math.random() * 1_300)
      await server.kill('SIGKILL')
      await server.start()
    }
    await load.finish()
    return `${times} kills: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/** A program in between drops whole answers of the server, and the sender repeats what is already stored. */
export const lostAnswers: FaultTest = async ({ short }) => {
  const stage = await openTestBed('lost')
  const port = await freePort()
  let swallowed = 0
  const proxy = net.createServer((sender) => {
    const server = net.connect(to, '127.0.0.1')
    for (const socket of [sender, server]) socket.on('error', () => undefined)
    sender.on('data', (chunk) => server.write(chunk))
    sender.on('close', () => server.destroy())
    server.on('close', () => sender.destroy())
    server.on('data', (chunk) => {
      if (Math.random() > 0.2) return sender.write(chunk)
      swallowed += 1
      return sender.destroy()
    })
  })
  let to = 0
  try {
    const receiver = await stage.addReceiver()
    to = (await stage.addServer()).port
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
    const load = startSenderLoad({ receiver, ports: () => [port], perSecond: 20 })
    await sleep(short ? 1_500 : 10_000)
    await load.finish()
    if (swallowed === 0) throw new Error('No answer was lost')
    return `${swallowed} answers lost: ${await compareWithLog(stage, load)}`
  } finally {
    proxy.close()
    await stage.close()
  }
}

/** Two servers run, each with a projector. One is killed, and then the other is frozen and comes back. */
export const replicas: FaultTest = async ({ short }) => {
  const stage = await openTestBed('replicas')
  try {
    const receiver = await stage.addReceiver()
    const first = await stage.addServer()
    const second = await stage.addServer()
    await sharedBy(stage, 2)
    const load = startSenderLoad({ receiver, ports: () => [first.port, second.port] })
    const seen: string[] = []
    for (let n = 0; n < (short ? 1 : 3); n++) {
      await sleep(1_000)
      await first.kill('SIGKILL')
      seen.push(`killed, taken over after ${await sharedBy(stage, 1)} ms`)
      await first.start()
      await sharedBy(stage, 2)
      await sleep(500)
      second.freeze()
      seen.push(`frozen, taken over after ${await sharedBy(stage, 1)} ms`)
      await sleep(1_500)
      second.thaw()
      await sharedBy(stage, 2)
    }
    await load.finish()
    return `${seen.join('; ')}: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/**
 * The function waits until so many projectors hold all shards among them. 2 s are promised, and the rest is for a busy
 * machine.
 */
async function sharedBy(stage: TestBed, projectors: number): Promise<number> {
  const began = performance.now()
  for (;;) {
    const [held] = await stage.ask<{ shards: number; holders: number }>(HELD)
    if (held?.shards === shardCount && held.holders === projectors) break
    if (performance.now() - began > 6_000) throw new Error(`${projectors} projectors do not hold all shards`)
    await sleep(20)
  }
  return Math.round(performance.now() - began)
}

const HELD = `
  SELECT count(*)::int AS shards, count(DISTINCT holder)::int AS holders FROM lease
  WHERE name LIKE 'projector:%' AND expires_at > clock_timestamp()`

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
