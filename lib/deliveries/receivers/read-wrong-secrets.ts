import 'server-only'
import type pg from 'pg'
import { planOnce } from '#lib/platform/db/statements.ts'
import { parseRefusalReason, type RefusalReason, reasonsThatAre } from '../rules/refusal-reasons.ts'
import { type CallerGuess, guessCaller, wasChanged } from '../rules/repair.ts'
import { maxAttempts, retrySpan, retryWindowSeconds } from '../rules/retry-schedule.ts'

/** A receiver was called in this minute with a wrong secret or none. Times are ms since 1970. */
export interface WrongSecretMinute {
  readonly receiverId: string
  /** The reason is another secret, or none. */
  readonly why: RefusalReason | null
  readonly first: number
  readonly last: number
  readonly count: number
  readonly changedAt: number
  /** The receiver was changed after it was created. */
  readonly changed: boolean
  /** The receiver next accepted a delivery at this time; null when it has not yet. */
  readonly nextTaken: number | null
  readonly who: CallerGuess
}

/**
 * The minutes since then are listed from the oldest on, for one receiver or for all. When nothing was accepted for so long
 * that all attempts of a delivery may have been refused (§6.8), the caller counts as the service, whatever came afterwards.
 */
export async function readWrongSecrets(
  client: pg.PoolClient | pg.Pool,
  since: Date,
  now: number,
  receiverId: string | null = null,
): Promise<WrongSecretMinute[]> {
  const from = new Date(since.getTime() - retryWindowSeconds * 1_000)
  const { rows } = await client.query<Row>({ ...WRONG_SECRETS, values: [from, receiverId] })
  const minutes = rows.map((row): WrongSecretMinute => {
    const [first, last, changedAt] = [row.first_at.getTime(), row.last_at.getTime(), row.changed_at.getTime()]
    const madeAt = row.made_at.getTime()
    const nextTaken = row.next_taken?.getTime() ?? null
    const lastTaken = row.last_taken?.getTime() ?? null
    const who = guessCaller({ first, last, nextTaken, lastTaken, changedAt, madeAt }, now)
    return {
      receiverId: row.receiver_id,
      why: parseRefusalReason(row.why),
      first,
      last,
      count: row.count,
      changedAt,
      changed: wasChanged({ changedAt, madeAt }),
      nextTaken,
      who,
    }
  })
  const runs = [...Map.groupBy(minutes, runOf)]
  const long = new Set(runs.flatMap(([run, some]) => (mayHaveAllAttempts(some) ? [run] : [])))
  return minutes
    .filter(({ last }) => last >= since.getTime())
    .map((minute) =>
      minute.who === 'stranger' && long.has(runOf(minute)) ? { ...minute, who: 'service' } : minute,
    )
}

/** Nothing was accepted between the minutes of one run. */
const runOf = ({ receiverId, nextTaken }: WrongSecretMinute) => `${receiverId} ${nextTaken}`

const mayHaveAllAttempts = (run: readonly WrongSecretMinute[]) =>
  (run.at(-1)?.last ?? 0) - (run[0]?.first ?? 0) >= retrySpan(1, maxAttempts - 1).earliest * 1_000

interface Row {
  readonly receiver_id: string
  readonly why: string
  readonly first_at: Date
  readonly last_at: Date
  readonly count: number
  readonly changed_at: Date
  readonly made_at: Date
  readonly next_taken: Date | null
  readonly last_taken: Date | null
}

/** Ids of deliveries begin with their time. */
const WRONG_SECRETS = planOnce(`
  SELECT receiver_id, why, LEAST(COALESCE(first_at, minute), last_at) AS first_at, last_at, count,
    receiver.updated_at AS changed_at, receiver.created_at AS made_at,
    (SELECT received_at FROM delivery
     WHERE delivery.receiver_id = refusal.receiver_id
       AND delivery.id > (lpad(to_hex((extract(epoch FROM last_at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
     ORDER BY delivery.id LIMIT 1) AS next_taken,
    (SELECT received_at FROM delivery WHERE delivery.receiver_id = refusal.receiver_id
     ORDER BY delivery.id DESC LIMIT 1) AS last_taken
  FROM refusal JOIN receiver ON receiver.id = receiver_id
  WHERE why IN (${reasonsThatAre('secret')
    .map((reason) => `'${reason}'`)
    .join(', ')}) AND minute >= $1 AND ($2::uuid IS NULL OR receiver_id = $2)
  ORDER BY minute`)
