import 'server-only'
import type pg from 'pg'
import { openBufferedWriter } from '#lib/platform/db/buffered-writer.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { foldLearnt, noteLearnt } from '../queue/fold-again.ts'
import { type RefusalReason, reasonsThatAre } from '../rules/refusal-reasons.ts'
import { firstRetryEarliestSeconds } from '../rules/retry-schedule.ts'

const limited = limitedLog(logOf('ingest'))

/** `RefusalCounter` counts requests that were not answered 2xx, per receiver, minute and reason. It keeps no bodies. */
export interface RefusalCounter {
  /** `caller` is the address of the sender, which is kept for wrong secrets. */
  add(receiverId: string, why: RefusalReason, caller?: string | null): void
  close(): Promise<void>
}

/**
 * At most this many counts wait in memory. Invented receiver ids may use only the smaller part. A write shows which ids
 * exist.
 */
const maxPending = 10_000
const maxUnknownReceivers = 200
const maxCallers = 200

export function openRefusalCounter(pool: pg.Pool, isReceiver: (id: string) => boolean): RefusalCounter {
  let refused = new Map<string, RefusalCount>()
  let callers = new Map<string, WrongSecretCaller>()
  let unproven = 0
  const writer = openBufferedWriter(write, { after: 500, retryAfter: 2_000 })

  function addRefused(one: RefusalCount) {
    const key = `${one.receiverId} ${one.why} ${one.minute}`
    const known = refused.get(key)
    if (!known) {
      const proven = isReceiver(one.receiverId)
      if (refused.size >= maxPending || (!proven && unproven >= maxUnknownReceivers)) return
      if (!proven) unproven += 1
    }
    refused.set(key, known ? { ...joinKey(known, one), firstAt: Math.min(known.firstAt, one.firstAt) } : one)
  }

  function addCaller(one: WrongSecretCaller) {
    const address = callers.size < maxCallers ? one.address : ''
    const key = `${one.receiverId} ${one.hour} ${address}`
    const known = callers.get(key)
    if (!known && callers.size >= maxPending) return
    callers.set(key, known ? joinKey(known, one) : { ...one, address })
  }

  async function write() {
    const [rows, addresses] = [[...refused.values()], [...callers.values()]]
    refused = new Map()
    callers = new Map()
    unproven = 0
    const given = rows
      .filter(({ why }) => evidence.includes(why))
      .map(({ receiverId, firstAt }) => ({ receiverId, msAgo: Date.now() - firstAt }))
    await writeAndFoldAgain(pool, given, (tx) => writeRefusals(tx, rows)).catch((error: unknown) => {
      notWritten(error)
      for (const row of rows) addRefused(row)
    })
    await writeWrongSecretCallers(pool, addresses).catch((error: unknown) => {
      notWritten(error)
      for (const row of addresses) addCaller(row)
    })
    // While the database is unreachable, the counts wait.
    return refused.size + callers.size === 0
  }

  return {
    add(receiverId, why, caller = null) {
      const now = Date.now()
      addRefused({ receiverId, why, minute: now - (now % 60_000), count: 1, firstAt: now, lastAt: now })
      if (caller !== null)
        addCaller({ receiverId, hour: now - (now % 3_600_000), address: caller, count: 1, lastAt: now })
      writer.request()
    },
    close: writer.close,
  }
}

/** The fold reads only these reasons by themselves. Others, such as strangers' wrong secrets, tell it nothing. */
const evidence = reasonsThatAre('deferred')

const notWritten = (error: unknown) =>
  limited.warn(causeOf(error), { err: error }, 'Refusals could not be counted; they are again')

const joinKey = <T extends { readonly count: number; readonly lastAt: number }>(a: T, b: T): T => ({
  ...a,
  count: a.count + b.count,
  lastAt: Math.max(a.lastAt, b.lastAt),
})

/** A receiver had so many refusals in one minute. Times are ms since 1970. */
interface RefusalCount {
  readonly receiverId: string
  readonly why: RefusalReason
  readonly minute: number
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
}

/** One address sent so many wrong secrets in one hour. The address is empty for callers beyond the limit. */
interface WrongSecretCaller {
  readonly receiverId: string
  readonly hour: number
  readonly address: string
  readonly count: number
  readonly lastAt: number
}

/** `writeRefusals` adds to the stored counts. It ignores receiver ids that never existed, since anybody can invent them. */
async function writeRefusals(tx: Transaction, rows: readonly RefusalCount[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(REFUSALS, [
    rows.map(({ receiverId }) => receiverId),
    rows.map(({ minute }) => new Date(minute)),
    rows.map(({ why }) => why),
    rows.map(({ count }) => count),
    rows.map(({ lastAt }) => new Date(lastAt)),
    rows.map(({ firstAt }) => new Date(firstAt)),
  ])
}

/**
 * `writeWrongSecretCallers` stores the addresses that sent wrong secrets: at most twenty per receiver and hour. Others are
 * counted under an empty address.
 */
async function writeWrongSecretCallers(pool: pg.Pool, rows: readonly WrongSecretCaller[]): Promise<void> {
  if (rows.length === 0) return
  await pool.query(CALLERS, [
    rows.map(({ receiverId }) => receiverId),
    rows.map(({ hour }) => new Date(hour)),
    rows.map(({ address }) => address),
    rows.map(({ count }) => count),
    rows.map(({ lastAt }) => new Date(lastAt)),
    maxAddresses,
  ])
}

const maxAddresses = 20

/** An endpoint at the service may point at a receiver that this database has lost. */
const REFUSALS = `
  INSERT INTO refusal (receiver_id, minute, why, count, last_at, first_at)
  SELECT given.*
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[])
    AS given (receiver_id, minute, why, count, last_at, first_at)
  WHERE EXISTS (SELECT FROM receiver WHERE id = given.receiver_id)
    OR EXISTS (SELECT FROM watched_endpoint AS watched WHERE watched.receiver_id = given.receiver_id)
  ORDER BY receiver_id, minute, why
  ON CONFLICT (receiver_id, minute, why)
  DO UPDATE SET count = refusal.count + EXCLUDED.count, last_at = GREATEST(refusal.last_at, EXCLUDED.last_at),
    first_at = LEAST(refusal.first_at, EXCLUDED.first_at)`

const CALLERS = `
  WITH given AS (
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::timestamptz[])
      AS given (receiver_id, hour, address, count, last_at)
  ), ranked AS (
    SELECT given.*, known.address IS NOT NULL AS known,
      (SELECT count(*) FROM refused_caller AS of_hour
       WHERE of_hour.receiver_id = given.receiver_id AND of_hour.hour = given.hour)
      + row_number() OVER (
        PARTITION BY given.receiver_id, given.hour ORDER BY known.address IS NOT NULL, given.count DESC
      ) AS rank
    FROM given LEFT JOIN refused_caller AS known USING (receiver_id, hour, address)
  ), named AS (
    SELECT receiver_id, hour, CASE WHEN known OR rank <= $6 THEN address ELSE '' END AS address, count, last_at
    FROM ranked
  )
  INSERT INTO refused_caller (receiver_id, hour, address, count, last_at)
  SELECT receiver_id, hour, address, sum(count), max(last_at) FROM named GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (receiver_id, hour, address)
  DO UPDATE SET count = refused_caller.count + EXCLUDED.count,
    last_at = GREATEST(refused_caller.last_at, EXCLUDED.last_at)`

/**
 * Refusals that are written late may explain retries that were already folded. `writeAndFoldAgain` writes them, and folds
 * again what those receivers got since.
 */
export async function writeAndFoldAgain(
  pool: pg.Pool,
  refusals: readonly { readonly receiverId: string; readonly msAgo: number }[],
  write: (tx: Transaction) => Promise<void>,
): Promise<void> {
  // The transaction may wait for the database, and deliveries arrive meanwhile.
  const now = Date.now()
  const late = refusals.filter(({ msAgo }) => msAgo > firstRetryEarliestSeconds * 1_000)
  await inTransaction(pool, async (tx) => {
    await write(tx)
    await noteLearnt(
      tx,
      late.map(({ receiverId, msAgo }) => ({ about: receiverId, began: now - msAgo })),
    )
  })
  if (late.length > 0) void foldLearnt(pool)
}
