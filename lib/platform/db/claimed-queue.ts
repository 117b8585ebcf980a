import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { inTime } from '../in-time.ts'
import { noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { type AfterTry, afterTry, type MailState, type TryOutcome } from '../rules/mail-states.ts'
import { type Rounds, startRounds } from './concurrency.ts'
import type { Transaction } from './in-transaction.ts'

const log = logOf('queue')

/** One process tries a claimed item. No other process does until `claimMs` after its last renewal. */
export interface Claimed {
  readonly id: string
  readonly tries: number
  readonly unsure: number
  readonly giveUpAt: Date
  /** The time is the present one by the database's clock. */
  readonly now: () => Date
}

/** The queue's row has these columns beside its own. */
export interface ClaimedRow {
  readonly id: string
  readonly tries: number
  readonly unsure: number
  readonly give_up_at: Date
  readonly now: Date
}

export const claimedColumns = 'id, tries, unsure, give_up_at, clock_timestamp() AS now'

/** `claimedOf` reads the shared columns of a row that was claimed just now. */
export function claimedOf({ id, tries, unsure, give_up_at: giveUpAt, now }: ClaimedRow): Claimed {
  const claimed = performance.now()
  return { id, tries, unsure, giveUpAt, now: () => new Date(now.getTime() + performance.now() - claimed) }
}

/** A claim is valid for this many milliseconds. An item in progress renews it. */
export const claimMs = 60_000

interface QueueOptions {
  /** The table has the columns of `mail` that say how an item was tried. */
  readonly table: 'mail' | 'alert_message'
  /** These columns are read with each item. */
  readonly columns: string
  /** These columns become empty when an item ends. */
  readonly forget?: readonly string[]
  /** The sentence is the last answer of an item whose process ended after it was handed over. */
  readonly left: string
}

/** `ClaimedQueue` has items that processes claim, try outside of transactions, and end. Decision 0136. */
export class ClaimedQueue<Row extends ClaimedRow> {
  readonly #left: string
  readonly #sql: ReturnType<typeof statements>

  constructor({ left, ...options }: QueueOptions) {
    this.#left = left
    this.#sql = statements(options)
  }

  /**
   * `claimDue` claims at most `most` items that are due. Only one process gets each. An item of the future is due: the clock was
   * set back since.
   */
  async claimDue(pool: pg.Pool, most: number): Promise<Row[]> {
    return (await pool.query<Row>(this.#sql.claim, [most, claimMs])).rows
  }

  /**
   * `settleLeft` takes over items of dead processes. An item that was not handed over is due again, and one that was may have
   * arrived. It also ends items that nobody tried in time.
   */
  async settleLeft(pool: pg.Pool): Promise<void> {
    await pool.query(this.#sql.release)
    const { rows } = await pool.query<Row>(this.#sql.takeOver, [claimMs])
    for (const row of rows) await this.recordTry(pool, claimedOf(row), { kind: 'unsure', answer: this.#left })
    await pool.query(this.#sql.endLate)
  }

  /** `renewClaim` extends a claim while its item is in progress. */
  async renewClaim(pool: pg.Pool, { id, tries }: Claimed): Promise<void> {
    await pool.query(this.#sql.renew, [id, tries, claimMs])
  }

  /**
   * After this mark the item may arrive, whatever happens to this process. It throws when another process has the item by
   * now, or when it was withdrawn.
   */
  async markHandedOver(pool: pg.Pool, { id, tries }: Claimed): Promise<void> {
    const { rowCount } = await pool.query(this.#sql.mark, [id, tries])
    if (rowCount !== 1) throw new Error('this was withdrawn, or another process sends it')
  }

  /**
   * `recordTry` stores the outcome of a try. If another process has tried the item since, that outcome stays, unless the item
   * has arrived.
   */
  async recordTry(pool: pg.Pool, claimed: Claimed, outcome: TryOutcome): Promise<AfterTry> {
    const after = afterTry(claimed, outcome, claimed.now())
    const { state, unsure, nextAt } = after
    await pool.query(this.#sql.record, [claimed.id, claimed.tries, state, unsure, nextAt, outcome.answer])
    return after
  }

  /** `endWaiting` ends all items that waited before `until`. In a restored database, they may have been sent since. */
  async endWaiting(tx: Transaction, until: Date): Promise<void> {
    await tx.query(this.#sql.endWaiting, [until])
  }

  /** `drop` deletes the item that this process is trying. */
  async drop(pool: pg.Pool, { id, tries }: Claimed): Promise<void> {
    await pool.query(this.#sql.drop, [id, tries])
  }

  /**
   * `attempt` tries a claimed item and stores the outcome, outside of any transaction. The result is null when `carry` has
   * nothing to send, and the item is deleted.
   */
  async attempt(
    pool: pg.Pool,
    claimed: Claimed,
    carry: () => Promise<TryOutcome | null>,
  ): Promise<{ readonly outcome: TryOutcome; readonly after: AfterTry } | null> {
    const renew = () =>
      this.renewClaim(pool, claimed).catch(noting(log)('warn', 'What is being sent may be taken over'))
    const renewal = setInterval(() => void renew(), claimMs / 4)
    try {
      const outcome = await carry()
      if (outcome === null) {
        await this.drop(pool, claimed)
        return null
      }
      return { outcome, after: await this.#record(pool, claimed, outcome) }
    } finally {
      clearInterval(renewal)
    }
  }

  /** An unreachable database must not cause a second copy of an item that was sent. */
  async #record(pool: pg.Pool, claimed: Claimed, outcome: TryOutcome, left = 20): Promise<AfterTry> {
    try {
      return await this.recordTry(pool, claimed, outcome)
    } catch (error) {
      if (left === 0) throw error
      await sleep(2_000, undefined, { ref: false })
      return this.#record(pool, claimed, outcome, left - 1)
    }
  }
}

/** The state is that of an item after a try. It is `unknown` also for one that will be repeated. */
export interface SendingResult {
  readonly state: MailState
  readonly answer: string
}

export const sendingResultOf = ({
  outcome,
  after,
}: {
  readonly outcome: TryOutcome
  readonly after: AfterTry
}): SendingResult => ({
  state: after.state === 'waiting' && after.unsure > 0 ? 'unknown' : after.state,
  answer: outcome.answer,
})

/** `waitAtMost` answers a caller who waits for a try. After `patience` milliseconds it returns that the try is in progress. */
export const waitAtMost = (trying: Promise<SendingResult>, patience: number, slow: string) =>
  inTime<SendingResult, SendingResult>(trying, patience, { state: 'waiting', answer: slow })

interface Sender<Item> {
  /** `prepare` runs first in each round. */
  readonly prepare: () => Promise<unknown>
  readonly claim: (most: number) => Promise<readonly Item[]>
  readonly attempt: (item: Item, stopped: AbortSignal) => Promise<unknown>
  readonly complain: (error: unknown) => void
  readonly every: number
}

/** So many items are in progress at once. A slow one delays few others. */
const places = 5

/** A stop waits this many milliseconds for the answer to an item that was handed over. */
const mostForStop = 3_000

/** `startSender` tries waiting items every `every` milliseconds and whenever it is requested. */
export function startSender<Item>({ prepare, claim, attempt, complain, every }: Sender<Item>): Rounds {
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  async function round() {
    if (stopping.signal.aborted) return
    try {
      await prepare()
      for (const item of await claim(places - underWay.size)) {
        const trying = attempt(item, stopping.signal)
          .catch(complain)
          .finally(() => {
            underWay.delete(trying)
            rounds.request()
          })
        underWay.add(trying)
      }
    } catch (error) {
      complain(error)
    }
  }

  const rounds = startRounds(round, every)
  return {
    request: rounds.request,
    async stop() {
      stopping.abort()
      await rounds.stop()
      await Promise.race([Promise.all(underWay), sleep(mostForStop, undefined, { ref: false })])
    },
  }
}

/** No claim lasts that long: one that seems to is from before the clock was set back. */
const hasExpired = `(claimed_until < clock_timestamp() OR claimed_until > clock_timestamp() + interval '${2 * claimMs} ms')`

function statements({ table, columns, forget = [] }: Omit<QueueOptions, 'left'>) {
  const emptied = forget.map((column) => `, ${column} = NULL`).join('')
  const emptiedAtEnd = forget
    .map((column) => `, ${column} = CASE WHEN $3 = 'waiting' THEN ${column} END`)
    .join('')
  return {
    claim: `
      UPDATE ${table} SET tries = tries + 1, tried_at = clock_timestamp(), handed_over_at = NULL,
        claimed_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE state = 'waiting' AND claimed_until IS NULL
          AND (next_at <= clock_timestamp() OR COALESCE(tried_at, created_at) > clock_timestamp())
        ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED))
      RETURNING ${columns}`,
    release: `
      UPDATE ${table} SET claimed_until = NULL
      WHERE state = 'waiting' AND ${hasExpired} AND handed_over_at IS NULL`,
    takeOver: `
      UPDATE ${table} SET claimed_until = clock_timestamp() + $1 * interval '1 ms'
      WHERE id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE state = 'waiting' AND ${hasExpired} AND handed_over_at IS NOT NULL
        FOR UPDATE SKIP LOCKED))
      RETURNING ${columns}`,
    endLate: `
      UPDATE ${table} SET state = CASE WHEN unsure > 0 THEN 'unknown' ELSE 'failed' END, ended_at = now()${emptied},
        last_answer = COALESCE(last_answer, 'It was not tried in time.')
      WHERE state = 'waiting' AND give_up_at <= now() AND claimed_until IS NULL`,
    endWaiting: `
      UPDATE ${table} SET state = 'unknown', ended_at = now(), claimed_until = NULL${emptied},
        last_answer = 'The database was restored from a backup while it waited.'
      WHERE state = 'waiting' AND created_at <= $1`,
    renew: `
      UPDATE ${table} SET claimed_until = clock_timestamp() + $3 * interval '1 ms'
      WHERE id = $1 AND tries = $2 AND state = 'waiting' AND claimed_until IS NOT NULL`,
    mark: `
      UPDATE ${table} SET handed_over_at = clock_timestamp()
      WHERE id = $1 AND tries = $2 AND state = 'waiting' AND claimed_until > clock_timestamp()`,
    record: `
      UPDATE ${table} SET state = $3, unsure = $4, next_at = COALESCE($5, next_at), last_answer = $6, claimed_until = NULL,
        ended_at = CASE WHEN $3 <> 'waiting' THEN clock_timestamp() END${emptiedAtEnd}
      WHERE id = $1 AND tries = $2 AND (state = 'waiting' OR state <> 'sent' AND $3 = 'sent')`,
    drop: `DELETE FROM ${table} WHERE id = $1 AND tries = $2 AND state = 'waiting'`,
  }
}
