import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { requeueForRun, wakeProjectors } from '#lib/deliveries/queue/enqueue.ts'
import { findPending } from '#lib/deliveries/queue/read-queue-state.ts'
import type { Resolve } from '#lib/platform/addresses/public-address.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { failureMessage, sendChecked } from '#lib/platform/http/send-checked.ts'
import { isReduced } from '#lib/timeline/projector/erased-people.ts'
import type { RunningReplay } from './replay-store.ts'

/** `PostBody` posts one body and returns at once when `stopped` is aborted. It throws nothing. */
type PostBody = (body: Uint8Array, stopped: AbortSignal) => Promise<PostResult>

/** ASSUMED: after this many failures in a row the address accepts nothing, and an admin should look. */
export const maxFailuresInARow = 10

/** The runner reads this many bodies at a time: at most 20 MiB. */
const page = 20

/**
 * The remaining deliveries are posted one after the other, in order of arrival, at the pace of the replay. It ends
 * when nothing is left, when it is stopped or taken over, or after failures in a row. A post that a stop cuts off
 * is not recorded, so it is sent again later.
 */
export async function postDeliveries(pool: pg.Pool, replay: RunningReplay, post: PostBody): Promise<void> {
  const ledger = new ReplayLedger(pool, replay)
  let failures = 0
  for await (const { seq, body } of remainingOf(pool, replay.id)) {
    if (!(await ledger.writeIfDue())) return
    const start = performance.now()
    const kept = body && !isReduced(body) ? body : null
    const result = kept ? await postUnlessStopped(ledger, post, kept) : noLongerKept
    if (!result) return
    ledger.add({ seq, ...result })
    // The receiver is not to blame for a body that was not sent.
    if (kept) failures = result.error === null ? 0 : failures + 1
    if (failures >= maxFailuresInARow) return void (await ledger.write('failing'))
    if (!(await ledger.writeIfDue())) return
    const wait = 1000 / replay.pace - (performance.now() - start)
    if (wait > 0) await sleep(wait)
  }
  await ledger.write('done')
}

/** The runner checks this often, in ms, that the replay goes on, also during a post. */
const checkEveryMs = 250

/** The result is null when the replay was stopped before the receiver answered; the connection is cut then. */
async function postUnlessStopped(
  ledger: ReplayLedger,
  post: PostBody,
  body: Uint8Array,
): Promise<PostResult | null> {
  const over = new AbortController()
  const posted = post(body, over.signal)
  try {
    for (;;) {
      const result = await Promise.race([posted, sleep(checkEveryMs, null, { signal: over.signal })])
      if (result) return result
      if (!(await ledger.writeIfDue())) return null
    }
  } finally {
    over.abort()
  }
}

/** The projector's queue gets at most this many at once, so that new deliveries do not wait. */
const batch = 500

/**
 * The subjects of the remaining deliveries are queued to be read from the log, in order of arrival, and this waits
 * until the projector has folded them. New deliveries among them are folded as new ones before.
 */
export async function refoldDeliveries(pool: pg.Pool, replay: RunningReplay): Promise<void> {
  const ledger = new ReplayLedger(pool, replay)
  for (;;) {
    const { rows } = await pool.query<{ seq: bigint; delivery_id: string }>(NEXT, [replay.id, batch])
    if (rows.length === 0) return void (await ledger.write('done'))
    const ids = rows.map((row) => row.delivery_id)
    if (!(await waitUntilFolded(pool, ids, ledger))) return
    await pool.query(requeueForRun(ids, replay.id))
    await wakeProjectors(pool)
    const failed = await waitUntilFolded(pool, ids, ledger)
    if (!failed) return
    for (const { seq, delivery_id } of rows) {
      const error = failed.has(delivery_id) ? 'It could not be folded and is a dead letter now' : null
      ledger.add({ seq, status: null, ms: null, error })
    }
    if (!(await ledger.write())) return
  }
}

/**
 * This waits until none of them is pending. Returns the dead letters among them, or null when the replay was
 * stopped.
 */
async function waitUntilFolded(
  pool: pg.Pool,
  ids: readonly string[],
  ledger: ReplayLedger,
): Promise<Set<string> | null> {
  for (;;) {
    const pending = await findPending(pool, ids)
    if (pending.every(({ dead }) => dead)) return new Set(pending.map(({ id }) => id))
    if (!(await ledger.writeIfDue())) return null
    await sleep(50)
  }
}

async function* remainingOf(pool: pg.Pool, replayId: string) {
  let after: bigint | null = null
  for (;;) {
    const found: pg.QueryResult<{ seq: bigint; body: Buffer | null }> = await pool.query(BODIES, [
      replayId,
      page,
      after,
    ])
    yield* found.rows
    after = found.rows.at(-1)?.seq ?? null
    if (after === null) return
  }
}

const noLongerKept: PostResult = { status: null, ms: 0, error: 'Its body is no longer kept' }

const BODIES = `
  WITH next AS MATERIALIZED (
    SELECT seq, delivery_id FROM replay_delivery
    WHERE replay_id = $1 AND seq > COALESCE($3, (SELECT position FROM replay WHERE id = $1))
    ORDER BY seq LIMIT $2
  )
  SELECT next.seq, d.body FROM next LEFT JOIN delivery d ON d.id = next.delivery_id ORDER BY next.seq`

const NEXT = `
  SELECT seq, delivery_id FROM replay_delivery
  WHERE replay_id = $1 AND seq > (SELECT position FROM replay WHERE id = $1)
  ORDER BY seq LIMIT $2`

/** `error` is null when the delivery was accepted; `status` and `ms` are null when it was not posted. */
interface DeliveryResult {
  readonly seq: bigint
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

type EndState = 'done' | 'failing'

/** Results of this many milliseconds are written together, so that a quick receiver does not wait for our disk. */
const writeEvery = 250

/**
 * `ReplayLedger` stores the result of each delivery and the progress of a replay. Every write checks that the
 * replay was neither stopped nor taken over.
 */
class ReplayLedger {
  readonly #pool: pg.Pool
  readonly #replay: RunningReplay
  #notes: DeliveryResult[] = []
  #writtenAt = performance.now()

  constructor(pool: pg.Pool, replay: RunningReplay) {
    this.#pool = pool
    this.#replay = replay
  }

  add(result: DeliveryResult): void {
    this.#notes.push(result)
  }

  /** Results are written when a write is due. Returns false when the replay does not go on. */
  async writeIfDue(): Promise<boolean> {
    return performance.now() - this.#writtenAt < writeEvery || this.write()
  }

  /** Returns false when the replay does not go on. */
  async write(end?: EndState): Promise<boolean> {
    const notes = this.#notes
    this.#notes = []
    const { id, job } = this.#replay
    const state = await inTransaction(this.#pool, async (client) => {
      if (!(await job.hold(client))) return null
      const { rows } = await client.query<{ state: string }>(WRITE, [
        id,
        notes.map(({ seq }) => String(seq)),
        notes.map(({ status }) => status),
        notes.map(({ ms }) => ms),
        notes.map(({ error }) => error),
        end ?? 'running',
      ])
      if (end) await job.release(client)
      return rows[0]?.state ?? null
    })
    this.#writtenAt = performance.now()
    return state === 'running'
  }
}

/** A stopped replay stays stopped, unless nothing is left. */
const WRITE = `
  WITH given AS (
    SELECT * FROM unnest($2::bigint[], $3::int[], $4::int[], $5::text[]) AS g (seq, status, ms, error)
  ), mine AS (
    UPDATE replay SET
      done = done + (SELECT count(*) FROM given), failed = failed + (SELECT count(*) FROM given WHERE error IS NOT NULL),
      position = GREATEST(position, (SELECT max(seq) FROM given)), last_progress_at = clock_timestamp(),
      state = CASE WHEN state = 'running' OR $6 = 'done' THEN $6 ELSE state END
    WHERE id = $1
    RETURNING id, state
  ), noted AS (
    UPDATE replay_delivery r SET at = clock_timestamp(), status = given.status, ms = given.ms, error = given.error
    FROM given, mine WHERE r.replay_id = mine.id AND r.seq = given.seq
  )
  SELECT state FROM mine`

/** Deliveries are posted to this url and signed with this secret (§5.5). The secret is kept only in memory. */
export interface Target {
  readonly url: URL
  readonly secret: string
  /** This machine itself may be posted to. */
  readonly loopback: boolean
  readonly resolve?: Resolve
  /** A post is given up after this many milliseconds without an answer. */
  readonly timeoutMs?: number
}

/** `PostResult` is the outcome of one post. */
interface PostResult {
  /** The status is null when no answer came. */
  readonly status: number | null
  /** The time runs until the answer, or until the post was given up, in ms. */
  readonly ms: number
  /** The error is null when the receiver answered with any 2xx. */
  readonly error: string | null
}

/** ASSUMED: a receiver answers within 10 s, as in the sandbox; the contract names no time-out (§6.7). */
const defaultTimeoutMs = 10_000

/**
 * One delivery is posted as the service would post it (§5.5). The host is resolved and checked each time, the
 * connection goes to the checked address, and no redirect is followed. When `stopped` is aborted the connection is
 * cut, and nobody knows whether the delivery arrived.
 */
export async function postDelivery(
  target: Target,
  body: Uint8Array,
  stopped?: AbortSignal,
): Promise<PostResult> {
  const start = performance.now()
  const answer = await request(target, body, stopped).catch((error: unknown) => ({
    status: null,
    error: failureMessage(error),
  }))
  return { ...answer, ms: Math.round(performance.now() - start) }
}

async function request(
  target: Target,
  body: Uint8Array,
  stopped?: AbortSignal,
): Promise<Omit<PostResult, 'ms'>> {
  const { url, secret, loopback, resolve, timeoutMs = defaultTimeoutMs } = target
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: `API-Key ${secret}`,
  }
  const given = { url, method: 'POST', headers, body, loopback, timeoutMs } as const
  const status = await sendChecked(resolve ? { ...given, resolve } : given, stopped)
  return { status, error: statusMessage(status) }
}

function statusMessage(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'Answered with a redirect, which is not followed'
  if (status === 401 || status === 403) return 'Refused: the secret is not the one that is expected there'
  return status >= 500 ? 'The receiver failed' : 'The receiver did not take it'
}
