import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendPastDeliveries } from '../../lib/deliveries/ingest/insert-deliveries.ts'
import {
  attachMonth,
  createMonth,
  deliveryMonth,
  ensureDeliveryPartitions,
} from '../../lib/platform/db/partitions.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { compareWithLog } from './faults/compare-with-log.ts'
import { startSenderLoad } from './faults/load.ts'
import { openTestBed, sleep, type TestBed, waitUntilFolded } from './faults/test-bed.ts'

export const when = 'what takes deliveries out of the log, or reads what is kept of them, changed'

/** There are this many whole months, and bodies and events are kept for these ages. */
const made = 24
const ages = { bodies: 12, events: 18 }

/** Each month has this many finished and unfinished transactions. */
const perMonth = { done: 200, open: 20 }

/**
 * The command removes the oldest of two years of months under traffic, is killed and runs again; then everything is rebuilt.
 * An operator then drops the oldest month by hand, and no rebuild starts before that is declared. The proof throws when
 * anything is missing or left over.
 * @param words transactions of each month that finish; 200 by default
 */
export default async function runRetention(words: string[]): Promise<void> {
  const done = Number(words[0] ?? perMonth.done)
  const stage = await openTestBed('retention')
  try {
    const now = new Date()
    await makeMonths(stage, now)
    const receiver = await stage.addReceiver()
    const stored = await storeMonths(stage, receiver.id, now, done)
    const server = await stage.addServer()
    await waitUntilFolded(stage.url)
    const sizeBefore = await size(stage)
    const before = await rowsToStay(stage)
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    await sleep(2_000)
    const began = performance.now()
    const kills = await removeWithKills(stage)
    const seconds = Math.round((performance.now() - began) / 1_000)
    await expectRemoved(stage, now)
    await expectSame('after the removal', stage, before)
    const rebuilt = await rampart(stage, ['rebuild'])
    if (rebuilt.code !== 0 || !rebuilt.output.includes('not in the log any more'))
      throw new Error(`The rebuild ended with ${rebuilt.code}: ${rebuilt.output}`)
    await expectSame('after the rebuild', stage, before)
    await load.finish()
    await waitUntilFolded(stage.url)
    console.log(
      `${stored} deliveries of ${made} months; removed in ${seconds} s, killed ${kills} times; ` +
        `${sizeBefore} before, ${await size(stage)} after; meanwhile ${await compareWithLog(stage, load)}`,
    )
    await dropByHand(stage, now)
    await expectSame('after a month was dropped by hand', stage, before)
    console.log('retention: nothing is missing that was to stay, and nothing is left that was to go')
  } finally {
    await stage.close()
  }
}

async function makeMonths(stage: TestBed, now: Date) {
  await ensureDeliveryPartitions(stage.url, now)
  for (let age = made; age > 1; age--) {
    const month = deliveryMonth(now, -age)
    await stage.ask(createMonth(month, month.name))
    await stage.ask(attachMonth(month, month.name, 'delivery'))
  }
}

/** The id contains the age, and the kind says if the row is to go. */
const idOf = (age: number, kind: string, n: number) => `${kind}-${String(age).padStart(2, '0')}-${n}`

async function storeMonths(stage: TestBed, receiverId: string, now: Date, done: number): Promise<number> {
  const pool = openPool(stage.url, 1)
  let stored = 0
  for (let age = made; age > 0; age--) {
    const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - age, 2)
    const bodies = [
      ...Array.from({ length: done }, (_, n) =>
        bodiesOf(idOf(age, 'done', n), ['PENDING', 'PENDING', 'IN_PROGRESS', 'SUCCESS']),
      ),
      ...Array.from({ length: perMonth.open }, (_, n) =>
        bodiesOf(idOf(age, 'open', n), ['PENDING', 'ON_HOLD']),
      ),
      [JSON.stringify({ type: 'KYC', uuid: `user-${age}`, data: { status: 'FULL_USER' } })],
    ]
    const deliveries = bodies.flat().map((body, n) => ({
      receivedAt: new Date(from + n * 1_000),
      receiverId,
      body: Buffer.from(body),
    }))
    await appendPastDeliveries(deliveries, pool)
    stored += deliveries.length
  }
  await pool.end()
  return stored
}

const bodiesOf = (transactionUuid: string, steps: readonly string[]) =>
  steps.map((subType) =>
    JSON.stringify({
      type: 'fiatToCrypto',
      subType,
      uuid: `user-of-${transactionUuid}`,
      data: {
        transactionUuid,
        amountFiat: 4.76,
        currencyFiat: 'EUR',
        walletAddress: `0x${transactionUuid}`,
        senderDetails: { senderName: 'A sender', accountDetails: { iban: `DE00${transactionUuid}` } },
        metadata: 'x'.repeat(200),
      },
    }),
  )

/** The command is killed twice once it has removed something. A killed command gives its turn back after half a minute. */
async function removeWithKills(stage: TestBed): Promise<number> {
  const words = ['retention', `bodies=${ages.bodies}`, `events=${ages.events}`]
  const plan = await rampart(stage, words)
  if (plan.code !== 0 || !plan.output.includes('Nothing was removed.')) throw new Error(plan.output)
  let kills = 0
  const left = () => countOld(stage)
  for (let tries = 0; tries < 30; tries++) {
    const isKilled = kills < 2
    const { code, output } = await rampart(stage, [...words, 'yes'], isKilled ? left : null)
    if (code === 0) return kills
    if (code === null) kills += 1
    else if (!/Another process|Run this again/.test(output)) throw new Error(`Ended with ${code}: ${output}`)
    await sleep(5_000)
  }
  throw new Error('The removal came to no end')
}

/** The count covers events and deliveries that are older than the age for bodies. */
async function countOld(stage: TestBed): Promise<number> {
  const [row] = await stage.ask<{ n: number }>(
    `SELECT ((SELECT count(*) FROM event WHERE id < $1) + (SELECT count(*) FROM delivery WHERE id < $1))::int AS n`,
    [deliveryMonth(new Date(), -ages.bodies).from],
  )
  return row?.n ?? 0
}

/** The function runs a command to its end, or kills it as soon as less is left than before. */
async function rampart(
  stage: TestBed,
  words: readonly string[],
  countLeft: (() => Promise<number>) | null = null,
) {
  const before = await countLeft?.()
  const child = spawn(process.execPath, ['--import', './bin/hooks.mjs', 'bin/rampart/rampart.ts', ...words], {
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: stage.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const closed = once(child, 'close')
  let ended = false
  void closed.then(() => {
    ended = true
  })
  while (countLeft && before !== undefined && !ended) {
    if ((await countLeft()) < before) child.kill('SIGKILL')
    await sleep(20)
  }
  const [code] = await closed
  return { code: typeof code === 'number' ? code : null, output }
}

const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier']

/** The digest covers rows from before the traffic that are to stay: all but those of old finished transactions. */
async function rowsToStay(stage: TestBed): Promise<string> {
  const digests: string[] = []
  for (const table of tables) {
    const [row] = await stage.ask<{ digest: string }>(
      `SELECT count(*) || ' ' || md5(string_agg(text, '' ORDER BY text)) AS digest FROM (
         SELECT (to_jsonb(t) - 'envelope' - 'body_left_at')::text AS text FROM ${table} t
         WHERE subject_id LIKE 'entity:user-%' OR subject_id LIKE 'transaction:open-%'
            OR (subject_id LIKE 'transaction:done-%' AND substring(subject_id FROM 18 FOR 2)::int <= ${ages.events})) AS rows`,
    )
    digests.push(`${table} ${row?.digest}`)
  }
  return digests.join('\n')
}

async function expectSame(at: string, stage: TestBed, before: string) {
  const after = await rowsToStay(stage)
  if (after !== before) throw new Error(`Rows are not what they were ${at}:\n${before}\n\n${after}`)
}

async function expectRemoved(stage: TestBed, now: Date) {
  const gone = await stage.ask(
    `SELECT subject_id FROM event WHERE subject_id LIKE 'transaction:done-%'
       AND substring(subject_id FROM 18 FOR 2)::int > ${ages.events} LIMIT 3`,
  )
  if (gone.length > 0) throw new Error(`Old transactions are there: ${JSON.stringify(gone)}`)
  const months = await stage.ask<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'delivery'::regclass`,
  )
  const oldest = deliveryMonth(now, -ages.bodies).name
  const old = months.filter(({ name }) => name !== 'delivery_default' && name < oldest)
  if (old.length > 0) throw new Error(`Months are there: ${old.map(({ name }) => name).join(', ')}`)
  const [bodies] = await stage.ask<{ whole: number; young: number }>(
    `SELECT count(*) FILTER (WHERE body_left_at IS NULL AND id < $1)::int AS whole,
            count(*) FILTER (WHERE (body_left_at IS NOT NULL OR event_body(id, envelope) IS NULL) AND id >= $1)::int AS young
     FROM event`,
    [deliveryMonth(now, -ages.bodies).from],
  )
  if (bodies?.whole !== 0 || bodies.young !== 0)
    throw new Error(`${bodies?.whole} old bodies are whole, ${bodies?.young} young ones are not`)
}

/** The operator of a full disk may do this. */
async function dropByHand(stage: TestBed, now: Date) {
  const { name } = deliveryMonth(now, -ages.bodies)
  await stage.ask(`DROP TABLE ${name}`)
  const status = await rampart(stage, ['status'])
  const refused = await rampart(stage, ['rebuild'])
  for (const { code, output } of [status, refused])
    if (code !== 1 || !output.includes(`accept-loss ${name}`))
      throw new Error(`Ended with ${code}: ${output}`)
  const accepted = await rampart(stage, ['retention', 'accept-loss', name])
  const rebuilt = await rampart(stage, ['rebuild'])
  for (const { code, output } of [accepted, rebuilt])
    if (code !== 0) throw new Error(`Ended with ${code}: ${output}`)
}

async function size(stage: TestBed): Promise<string> {
  const [row] = await stage.ask<{ size: string }>(
    'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
  )
  return row?.size ?? ''
}
