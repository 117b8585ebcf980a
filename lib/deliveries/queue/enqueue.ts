import 'server-only'
import type pg from 'pg'
import type { QueryConfig } from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { uuidPattern } from '#lib/platform/rules/ids.ts'
import { shardHash } from '../rules/subject.ts'

/** Projectors listen on this channel, and wake up for new deliveries. */
export const storedChannel = 'delivery_stored'

const limited = limitedLog(logOf('queue'))

/**
 * Two wake-ups are this many milliseconds apart. The second pause applies while more than `muchPerMs` deliveries are stored
 * per millisecond.
 */
const [pause, pauseWhileMuch] = [20, 100]
const muchPerMs = 1

/**
 * `announceStored` wakes the projectors at most every 20 ms, in a separate statement after the commit: NOTIFY inside the
 * transaction would serialise all commits. Under load it is 100 ms, because each wake-up is a commit and large batches fold
 * faster. The projectors' poll covers a lost notification.
 */
export function announceStored(pool: pg.Pool): (count?: number) => void {
  let waiting = false
  let stored = 0
  let before = 0
  async function announce() {
    waiting = true
    const began = performance.now()
    const much = stored > (began - before) * muchPerMs
    before = began
    stored = 0
    await wakeProjectors(pool).catch((error: unknown) =>
      limited.warn(causeOf(error), { err: error }, 'The projectors were not woken; they look by themselves'),
    )
    setTimeout(
      () => {
        waiting = false
        if (stored > 0) void announce()
      },
      much ? pauseWhileMuch : pause,
    )
  }
  return (count = 1) => {
    stored += count
    if (!waiting) void announce()
  }
}

export async function wakeProjectors(pool: pg.Pool): Promise<void> {
  await pool.query(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${storedChannel}; COMMIT`)
}

/**
 * `enqueueStored` is the end of a statement that stores deliveries and queues them. `source` names a relation with the
 * columns `id` and `shard`.
 */
export const enqueueStored = (source: string) => `
  INSERT INTO delivery_pending (delivery_id, shard) SELECT id, shard FROM ${source}`

/**
 * `requeueForFold` is SQL that requeues stored deliveries after new evidence. `source` names a relation with the column
 * `id`. They go behind what is new. A row that is queued already keeps its place and gets another version: a running fold,
 * which may have read the evidence of before, then leaves it in the queue. Rows are locked in id order, as everywhere.
 */
export const requeueForFold = (source: string) => `
  INSERT INTO delivery_pending AS queued (delivery_id, requeued_at) SELECT id, now() FROM ${source} ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET version = queued.version + 1`

/**
 * `requeueForRun` requeues deliveries so that their subjects are read from the log and rewritten, after new deliveries. Dead
 * letters among them are retried. A delivery that waits already is left unchanged, and is folded as new.
 * @param run the id of the replay or rebuild
 */
export const requeueForRun = (deliveryIds: readonly string[], run: string): QueryConfig => ({
  text: REQUEUE,
  values: [deliveryIds, run],
})

const REQUEUE = `
  INSERT INTO delivery_pending (delivery_id, run)
  SELECT id, $2::uuid FROM unnest($1::uuid[]) AS these (id) ORDER BY id
  ON CONFLICT (delivery_id) DO UPDATE SET
    run = COALESCE(delivery_pending.run, EXCLUDED.run), dead_lettered_at = NULL, error = NULL
  WHERE delivery_pending.dead_lettered_at IS NOT NULL`

/**
 * `requeueLostAnswers` belongs to the transaction that folded deliveries with sure answers. It requeues those whose answer
 * was reported lost meanwhile.
 */
export const requeueLostAnswers = (deliveryIds: readonly string[]): QueryConfig => ({
  name: 'put-back-lost-answers',
  text: REQUEUE_LOST,
  values: [deliveryIds],
})

const REQUEUE_LOST = `
  INSERT INTO delivery_pending (delivery_id, requeued_at)
  SELECT delivery_id, now() FROM answer_lost WHERE delivery_id = ANY($1::uuid[])
  ON CONFLICT DO NOTHING`

/**
 * `shardHint` guesses the shard hash of a body without parsing it, from a `transactionUuid` that occurs once and plainly. It
 * is null when only parsing can show it. After a wrong guess the projector moves the delivery to its shard.
 */
export function shardHint(body: Uint8Array): number | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const uuid = value.exec(bytes.toString('latin1', at + key.length, at + key.length + longest))?.[1]
  return uuid === undefined ? null : shardHash(`transaction:${uuid.toLowerCase()}`)
}

const key = Buffer.from('"transactionUuid"')

/** The value ends at most this many characters after the key. */
const longest = 64

const value = new RegExp(String.raw`^\s*:\s*"(${uuidPattern})"`, 'i')
