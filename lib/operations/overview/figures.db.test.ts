import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool, pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { countChanges, readCounted } from '#lib/timeline/projector/count-transactions.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import {
  type CountedRow,
  changesOfCounts,
  paceAt,
  paceOfSeconds,
  quarterMs,
  secondsOfPace,
} from '#lib/timeline/rules/transaction-counts.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { callerWith } from '../../../test/callers.ts'
import { reconnect, startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { type FiguresView, type PeriodView, readFigures, sumFigures } from './figures.ts'

const hour = 3_600_000
const day = 24 * hour

let database: TestConfiguration
let clients: pg.Pool
beforeAll(async () => {
  database = await startDatabase()
  clients = openPool(database.url)
})
afterAll(async () => {
  await clients.end()
  await database.stop()
})

/** `scan` computes the figures from all rows, independently of the counts. */
async function scan(now: number): Promise<FiguresView> {
  const { rows } = await pool().query<TransactionRow>('SELECT * FROM transaction WHERE direction IS NOT NULL')
  const newest = Math.floor(now / quarterMs) * quarterMs
  const quarterOf = (at: Date) => Math.floor(at.getTime() / quarterMs) * quarterMs
  const within = (from: number, to: number) => (at: Date | null) =>
    at !== null && quarterOf(at) > newest - from && quarterOf(at) <= newest - to
  const period = (from: number, to: number): PeriodView => {
    const finished = rows.filter((row) => within(from, to)(row.finished_at))
    const done = finished.filter(({ step }) => step === 'SUCCESS')
    const byCurrency = Map.groupBy(
      done,
      (row) => `${row.direction} ${(row.currency_fiat ?? '').toUpperCase()}`,
    )
    const ofHour = rows.filter(
      ({ step, finished_at: at, details }) =>
        step === 'SUCCESS' &&
        at &&
        typeof details.durationSeconds === 'number' &&
        Math.floor(at.getTime() / hour) * hour > newest - from &&
        Math.floor(at.getTime() / hour) * hour <= newest - to,
    )
    const paces = [...Map.groupBy(ofHour, ({ details }) => paceOfSeconds(details.durationSeconds ?? 0))]
    const seconds = (share: number) => {
      const pace = paceAt(new Map(paces.map(([at, some]) => [at, some.length])), share)
      return pace === null ? null : secondsOfPace(pace)
    }
    return {
      volume: [...byCurrency].map(([, some]) => ({
        direction: some[0]?.direction ?? '',
        currency: (some[0]?.currency_fiat ?? '').toUpperCase(),
        amount: String(some.reduce((sum, row) => sum + Number(row.amount_fiat ?? 0), 0)),
        count: some.length,
      })),
      finished: finished.length,
      succeeded: done.length,
      medianSeconds: seconds(0.5),
      p95Seconds: seconds(0.95),
    }
  }
  const open = rows.filter((row) => row.finished_at === null).length
  const endOf = ({ details, finished_at }: TransactionRow) =>
    details.endedAt ? new Date(details.endedAt) : finished_at
  const openAgo = (ago: number) =>
    open -
    rows.filter((row) => within(ago, 0)(row.started_at)).length +
    rows.filter((row) => row.finished_at && within(ago, 0)(endOf(row))).length
  const lastHour = Math.floor(now / hour) * hour
  return {
    day: { now: period(day, 0), before: period(2 * day, day) },
    week: { now: period(7 * day, 0), before: period(14 * day, 7 * day) },
    inFlight: { now: open, dayAgo: openAgo(day), weekAgo: openAgo(7 * day) },
    hours: Array.from({ length: 24 }, (_, i) => lastHour - (23 - i) * hour).map((at) => ({
      at: new Date(at).toISOString(),
      steps: new Map(
        [
          ...Map.groupBy(
            rows.filter((row) => Math.floor(row.started_at.getTime() / hour) * hour === at),
            ({ step }) => step ?? '',
          ),
        ].map(([step, some]) => [step, some.length]),
      ),
    })),
  }
}

function isoOf(time: string) {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Amounts as numbers, and volumes in one order. */
const comparable = (figures: FiguresView) => {
  const ordered = ({ volume, ...rest }: PeriodView) => ({
    ...rest,
    volume: volume
      .map((one) => ({ ...one, amount: Number(one.amount).toFixed(6) }))
      .toSorted((a, b) => (a.direction + a.currency < b.direction + b.currency ? -1 : 1)),
  })
  const both = ({ now, before }: FiguresView['day']) => ({ now: ordered(now), before: ordered(before) })
  return { ...figures, day: both(figures.day), week: both(figures.week) }
}

/** The stored counts equal a count of all rows from scratch. */
async function expectSameAsScan() {
  const now = Date.now()
  const { rows } = await pool().query<CountedRow>(COUNTED)
  const { rows: stored } = await pool().query(STORED)
  const scratch = Map.groupBy(
    changesOfCounts([], rows, now),
    ({ at, sort, direction, step, currency, pace }) =>
      JSON.stringify([at, sort, direction, step, currency, pace]),
  )
  const expected = [...scratch].map(([key, counts]) => ({
    key: JSON.parse(key),
    count: counts.reduce((sum, { count }) => sum + count, 0),
    amount: counts.reduce((sum, { count, amount }) => sum + count * Number(amount), 0).toFixed(6),
  }))
  expect(new Set(stored)).toEqual(new Set(expected))
  expect(comparable(await sumFigures(now))).toEqual(comparable(await scan(now)))
}

const COUNTED = `
  SELECT direction, step, currency_fiat, amount_fiat, details, ${isoOf('started_at')} AS started_at,
    ${isoOf('finished_at')} AS finished_at FROM transaction`

const STORED = `
  SELECT json_build_array(${isoOf('at')}, sort, direction, step, currency, pace) AS key, sum(count)::int AS count,
    sum(amount)::numeric(30, 6)::text AS amount
  FROM transaction_count GROUP BY at, sort, direction, step, currency, pace HAVING sum(count) <> 0 OR sum(amount) <> 0`

const steps = [
  'PENDING',
  'IN_PROGRESS',
  'ON_HOLD',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'A_NEW_STEP',
  'toString',
  '__proto__',
  null,
]

const aChange = fc.record({
  key: fc.integer({ min: 0, max: 5 }),
  gone: fc.nat({ max: 4 }).map((n) => n === 0),
  direction: fc.constantFrom('fiatToCrypto', 'cryptoToFiat', null),
  step: fc.constantFrom(...steps),
  currency: fc.constantFrom('EUR', 'gbp', null),
  amount: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: null }),
  startedAgo: fc.integer({ min: 0, max: 16 * day }),
  finishedAgo: fc.option(fc.integer({ min: 0, max: 16 * day }), { nil: null }),
  endedAgo: fc.option(fc.integer({ min: 0, max: 16 * day }), { nil: null }),
  seconds: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null }),
})
type Change = typeof aChange extends fc.Arbitrary<infer Made> ? Made : never

const ago = (ms: number | null) => (ms === null ? null : new Date(Date.now() - ms))

/** Rows are changed and counted as their writers do it. */
async function counting(
  client: pg.ClientBase,
  slot: number,
  ids: readonly string[],
  change: () => Promise<unknown>,
) {
  const before = await readCounted(client, ids)
  await change()
  await countChanges(client, slot, before, await readCounted(client, ids))
}

async function apply(client: pg.PoolClient, slot: number, changes: readonly Change[]) {
  await client.query('BEGIN')
  await counting(
    client,
    slot,
    changes.map(({ key }) => `transaction:${key}`),
    () => write(client, changes),
  )
  await client.query('COMMIT')
}

async function write(client: pg.PoolClient, changes: readonly Change[]) {
  for (const { key, gone, ...given } of changes) {
    if (gone) await client.query('DELETE FROM transaction WHERE subject_id = $1', [`transaction:${key}`])
    else
      await client.query(
        `INSERT INTO transaction (subject_id, uuid, direction, step, currency_fiat, amount_fiat, details, flags, started_at, last_move_at, finished_at)
         VALUES ($1, $1, $2, $3, $4, $5::numeric / 100, $6, '{}', $7, $7, $8)
         ON CONFLICT (subject_id) DO UPDATE SET direction = EXCLUDED.direction, step = EXCLUDED.step,
           currency_fiat = EXCLUDED.currency_fiat, amount_fiat = EXCLUDED.amount_fiat, details = EXCLUDED.details,
           started_at = EXCLUDED.started_at, finished_at = EXCLUDED.finished_at`,
        [
          `transaction:${key}`,
          given.direction,
          given.step,
          given.currency,
          given.amount,
          {
            ...(given.seconds === null ? {} : { durationSeconds: given.seconds }),
            ...(given.endedAgo === null || given.finishedAgo === null
              ? {}
              : { endedAt: ago(Math.max(given.endedAgo, given.finishedAgo)) }),
          },
          ago(given.startedAgo),
          ago(given.finishedAgo),
        ],
      )
  }
}

it('are the same as by a scan, after any changes by several concurrent writers', async () => {
  const histories = fc.array(fc.array(aChange, { minLength: 3, maxLength: 15 }), {
    minLength: 3,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(aChange, { maxLength: 12 }), histories, async (before, writers) => {
      await pool().query('DELETE FROM transaction')
      await pool().query('DELETE FROM transaction_count')
      const one = await clients.connect()
      await apply(one, 0, before)
      one.release()
      // Each writer has its own rows, as each projector has.
      const work = writers.map(async (changes, nth) => {
        const client = await clients.connect()
        const own = changes.map((change) => ({ ...change, key: 3 * (change.key % 2) + nth }))
        for (let from = 0; from < own.length; from += 3) await apply(client, nth, own.slice(from, from + 3))
        client.release()
      })
      await Promise.all(work)
      await expectSameAsScan()
    }),
    { numRuns: 25 },
  )
})

it('stay so when deliveries come repeatedly and in any order to two projectors, and when all is rebuilt', async () => {
  await pool().query('DELETE FROM transaction; DELETE FROM transaction_count')
  const { id: receiverId } = await addReceiver(pool())
  const bodies = Array.from({ length: 60 }, (_, n) => {
    const all = [
      'PENDING',
      'IN_PROGRESS',
      ['SUCCESS', 'FAILED', 'ON_HOLD'][n % 3] ?? '',
      ...(n % 6 === 1 ? ['REFUNDED'] : []),
    ]
    const uuid = crypto.randomUUID()
    return all.map((subType, nth) => ({
      at: Date.now() - 3 * day + n * hour + nth * 60_000 * (n % 7),
      body: JSON.stringify({
        type: n % 4 ? 'fiatToCrypto' : 'cryptoToFiat',
        subType,
        uuid: crypto.randomUUID(),
        data: { transactionUuid: uuid, amountFiat: n + 0.25, currencyFiat: n % 5 ? 'EUR' : 'GBP' },
      }),
    }))
  }).flat()
  const [once, again] = [bodies, bodies.filter((_, n) => n % 5 === 0)]
  const shuffled = [...once, ...again].map((one, n) => ({ ...one, at: one.at + ((n * 7919) % 5) * 40_000 }))
  await appendPastDeliveries(
    shuffled.map(({ at, body }) => ({
      receiverId,
      receivedAt: new Date(Math.min(at, Date.now())),
      body: Buffer.from(body),
    })),
  )
  const projectors = await Promise.all([1, 2].map(() => startProjector({ url: database.url })))
  await vi.waitFor(
    async () => expect((await pool().query('SELECT FROM delivery_pending')).rowCount).toBe(0),
    { timeout: 30_000, interval: 100 },
  )
  await expectSameAsScan()
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ subject_id: string }>('SELECT subject_id FROM transaction')
    await counting(
      tx,
      0,
      rows.map(({ subject_id }) => subject_id),
      () =>
        tx.query(
          `UPDATE transaction SET step = 'SUCCESS', finished_at = now(), amount_fiat = 1 WHERE step = 'ON_HOLD'`,
        ),
    )
  })
  await expectSameAsScan()
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  await expectSameAsScan()
  expect((await sumFigures(Date.now())).inFlight.now).toBe(20)
  for (const projector of projectors) await projector.stop()
}, 90_000)

it('are up to a minute old while new ones are computed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const support = callerWith('support')
  const some = await sumFigures(Date.now())
  let sums = 0
  const sum = async () => ({ ...some, inFlight: { ...some.inFlight, now: ++sums } })
  const read = async () => (await readFigures(support, sum)).inFlight.now
  const afterSeconds = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000)
  try {
    expect([await read(), await read()]).toEqual([1, 1])
    afterSeconds(11)
    expect(await read()).toBe(1)
    await expect.poll(read).toBe(2)
    expect(sums).toBe(2)
    afterSeconds(61)
    expect(await read()).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})

it('are the same in a database of a half-hour zone', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await pool().query(`ALTER DATABASE "${name}" SET TimeZone = 'Asia/Kolkata'`)
  await reconnect()
  await pool().query(
    `INSERT INTO transaction_count (at, sort, direction, step, currency, pace, slot, count, amount)
     VALUES (date_bin('15 minutes', now() - interval '3 hours', 'epoch'), 'started', 'fiatToCrypto', 'IN_ZONE', '', 0, 0, 7, 0)`,
  )
  for (const zone of ['UTC', 'Asia/Kolkata']) {
    // The figures do not rely on the zone of their connections.
    const both = await Promise.all([pool().connect(), pool().connect()])
    for (const client of both) await client.query(`SET TimeZone = '${zone}'`)
    for (const client of both) client.release()
    const { hours } = await sumFigures(Date.now())
    const counts = hours.map(({ steps }) => steps.get('IN_ZONE')).filter((count) => count !== undefined)
    expect(counts, zone).toEqual([7])
  }
  await pool().query(`ALTER DATABASE "${name}" RESET TimeZone`)
  await reconnect()
  await pool().query(`DELETE FROM transaction_count WHERE step = 'IN_ZONE'`)
})

it('are for staff alone', async () => {
  await expect(readFigures(callerWith('end-user'))).rejects.toThrow(NotAllowed)
})

vi.setConfig({ testTimeout: 60_000 })
