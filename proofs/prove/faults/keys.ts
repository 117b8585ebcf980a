import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { recordRefusals } from '../../../lib/endpoints/gaps/close-settled-gaps.ts'
import { inTransaction } from '../../../lib/platform/db/in-transaction.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import {
  type FaultTest,
  foldedContent,
  newKeys,
  openTestBed,
  sleep,
  type TestBed,
  waitUntilFolded,
} from './test-bed.ts'

/** A server runs for a minute with another key under the same id, and then one with the right key. */
export const keys: FaultTest = async ({ short }) => {
  const stage = await openTestBed('keys')
  try {
    const receiver = await stage.addReceiver()
    const before = await stage.addServer()
    let port = before.port
    const load = startSenderLoad({ receiver, ports: () => [port], perSecond: 5 })
    await sleep(500)
    const wrong = await stage.addServer(newKeys())
    port = wrong.port
    await sleep(500)
    await before.kill('SIGKILL')
    await sleep(short ? 1_200 : 65_000)
    if (short) await beginEarlier(stage)
    await expectNotice(stage)
    await expectGaps(stage, { outcome: null, lasts: true })

    const right = await stage.addServer()
    port = right.port
    // The server writes its last counts within half a second.
    await sleep(1_500)
    await wrong.kill('SIGKILL')
    await load.finish()
    const seen = await compareWithLog(stage, load)
    const deferred = load.attempts.filter(({ status }) => status === 503).length
    const counted = await stage.ask<{ why: string; count: number }>(
      'SELECT why, sum(count)::int AS count FROM refusal GROUP BY why',
    )
    if (counted.length !== 1 || counted[0]?.why !== 'secret-not-checkable' || counted[0].count !== deferred)
      throw new Error(`${deferred} were not taken, and counted were ${JSON.stringify(counted)}`)
    await moveBack(stage)
    await expectGaps(stage, { outcome: 'recovered', lasts: false })
    return `${deferred} deferred under a wrong key, each counted, announced in the log and on the pages; one gap that closed by itself: ${seen}`
  } finally {
    await stage.close()
  }
}

/** The notice is in the log, and on the pages. */
async function expectNotice(stage: TestBed) {
  const log = fs.readFileSync(path.join(stage.folder, 'server.log'), 'utf8')
  if (!log.includes('RAMPART_KEYS: the key k1 is not the one'))
    throw new Error('The log does not name the key')
  const faults = await stage.ask<{ key_id: string; kind: string }>('SELECT key_id, kind FROM key_fault')
  if (JSON.stringify(faults) !== '[{"key_id":"k1","kind":"changed"}]')
    throw new Error(`The pages would say ${JSON.stringify(faults)}`)
}

/** A round of the watcher makes these gaps of it. */
async function expectGaps(stage: TestBed, { outcome, lasts }: { outcome: string | null; lasts: boolean }) {
  const pool = openPool(stage.url, 1)
  await inTransaction(pool, (client) => recordRefusals(client, Date.now()))
  await pool.end()
  const gaps = await stage.ask('SELECT kind, outcome, ended_at IS NULL AS lasts FROM gap')
  const expected = [{ kind: 'deferred', outcome, lasts }]
  if (JSON.stringify(gaps) !== JSON.stringify(expected))
    throw new Error(`The gaps are ${JSON.stringify(gaps)}, not ${JSON.stringify(expected)}`)
}

/** The refusals are moved two minutes into the past. */
async function beginEarlier(stage: TestBed) {
  // The server writes its last counts within half a second.
  await sleep(600)
  await stage.ask(`UPDATE refusal SET first_at = first_at - interval '2 minutes'`)
}

/** The refusals are moved so far into the past that their retries have come. */
async function moveBack(stage: TestBed) {
  await stage.ask(`
    UPDATE refusal SET minute = minute - interval '2 hours', first_at = first_at - interval '2 hours',
      last_at = last_at - interval '2 hours'`)
  await stage.ask(
    `UPDATE gap SET began_at = began_at - interval '2 hours', ended_at = ended_at - interval '2 hours'`,
  )
}

/** Each delivery has this many bytes about the company. */
const bodyBytes = 256 * 1024

/** The projector may have this many megabytes, however much there is of one subject. */
const most = 400

/** Very much of one company waits at once, and the projector reads it in parts. */
export const company: FaultTest = async ({ short }) => {
  const count = short ? 300 : 1_000
  const stage = await openTestBed('company')
  try {
    const receiver = await stage.addReceiver()
    const pool = openPool(stage.url, 1)
    const uuid = crypto.randomUUID()
    for (let n = 0; n < count; n++) {
      const data = { status: n % 2 === 0 ? 'KYB_PENDING' : 'KYB_SOFT_FAILED', note: noise() }
      const body = Buffer.from(JSON.stringify({ type: 'KYB', subType: 'statusUpdate', uuid, data }))
      await insertDeliveries(pool, [{ id: uuidv7(), receiverId: receiver.id, body }], 10_000)
    }
    await pool.end()
    const projector = await stage.addProjector()
    await waitUntilFolded(stage.url)
    const megabytes = projector.memory().most
    await foldedContent(stage.url)
    if (megabytes > most) throw new Error(`The projector took ${megabytes} MB`)
    return `${count} deliveries of ${bodyBytes / 1024} KiB about one company, each folded, ${megabytes} MB at most`
  } finally {
    await stage.close()
  }
}

/** The noise differs in each body, so that nothing is a repetition and nothing can be compressed. */
const noise = () => crypto.randomBytes(bodyBytes / 2).toString('hex')
