import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { type Learnt, noteLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { deferredGapOf, deferredPeriods, retriesOfGap } from '../rules/gap-periods.ts'
import { type GapOutcome, joinDistance } from '../rules/gaps.ts'
import { type Evidence, recordEvidence } from './record-evidence.ts'

/** Rampart itself closes a gap that needs no person. */
const closedBy = 'Rampart'

/**
 * This closes gaps in which nothing was missed: deferred deliveries were retried and accepted, or those with a wrong
 * secret were not the service's, or will be accepted yet. A gap that an admin has reopened stays open. `deferred` holds
 * all current evidence of deferred deliveries. The result has the gaps whose wrong secrets were not the service's.
 */
export async function closeSettledGaps(
  client: Transaction,
  deferred: readonly DeferredEvidence[],
  now: number,
): Promise<readonly Learnt[]> {
  await closeRetriedGaps(client, deferred, now)
  return closeStrangerGaps(client, now)
}

async function closeRetriedGaps(client: Transaction, deferred: readonly DeferredEvidence[], now: number) {
  const { rows } = await client.query<OpenGap>(SELECT_ENDED)
  for (const { id, about, began_at, ended_at, off_at } of rows) {
    const retries = retriesOfGap(began_at.getTime(), ended_at.getTime(), off_at?.getTime() ?? null)
    if (typeof retries === 'string' || now <= retries.until) continue
    const lasting = deferred.some(
      (one) => !one.settled && one.about === about && (one.ended ?? now) >= began_at.getTime(),
    )
    if (!lasting) await close(client, id, 'recovered', recovered)
  }
}

const recovered = 'The retry period has passed, and nothing was deferred any more.'

async function closeStrangerGaps(client: Transaction, now: number): Promise<readonly Learnt[]> {
  const { rows } = await client.query<OpenGap>(SELECT_REFUSED, [reasonsThatAre('closed', 'final')])
  const [oldest] = rows
  if (!oldest) return []
  const closed: Learnt[] = []
  const wrong = await readWrongSecrets(client, new Date(oldest.began_at.getTime() - 60_000), now)
  for (const { id, about, began_at, ended_at, off_at } of rows) {
    const retries = retriesOfGap(began_at.getTime(), ended_at.getTime(), off_at?.getTime() ?? null)
    if (retries === 'cut-off') continue
    const within = wrong.filter(
      ({ receiverId, first, last }) =>
        receiverId === about && last >= began_at.getTime() && first <= ended_at.getTime(),
    )
    const strangers = within.every(
      ({ who, changedAt }) => who === 'stranger' && changedAt < began_at.getTime(),
    )
    if (within.length === 0 || !strangers) continue
    await close(client, id, 'no-gap', stranger)
    closed.push({ about, began: began_at.getTime() })
  }
  return closed
}

const stranger =
  'Deliveries with the same secret were accepted before and after. None can have had its last attempt in between.'

async function close(tx: Transaction, id: string, outcome: GapOutcome, reason: string) {
  const { rowCount } = await tx.query(CLOSE, [id, outcome, reason, closedBy])
  const entry = { actor: null, action: 'gap.close', target: id, outcome: 'done', reason } as const
  if (rowCount === 1) await recordAudit(tx, { ...entry, details: { outcome } }, noCallSource)
}

interface OpenGap {
  readonly id: string
  readonly about: string
  readonly began_at: Date
  readonly ended_at: Date
  /** The endpoint was disabled afterwards at this time, since when no retries come; null when it was not. */
  readonly off_at: Date | null
}

const SELECT_OPEN = `
  SELECT id, about, began_at, ended_at,
    (SELECT min(off.began_at) FROM gap AS off
     WHERE off.kind IN ('disabled', 'auto-disabled') AND COALESCE(off.ended_at, 'infinity') > gap.ended_at
       AND off.about IN (
         SELECT endpoint_uuid::text FROM watched_endpoint AS watched WHERE watched.receiver_id = gap.about::uuid
       )) AS off_at
  FROM gap`

/** Gaps are left out when a lost database may have taken their retries. */
const SELECT_ENDED = `${SELECT_OPEN}
  WHERE kind = 'deferred' AND outcome IS NULL AND reopened_at IS NULL AND ended_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM gap AS restored
    WHERE restored.kind = 'restored' AND restored.began_at < gap.ended_at + interval '1 day' AND restored.ended_at > gap.began_at
  ) AND EXISTS (
    SELECT FROM delivery
    WHERE receiver_id = about::uuid AND received_at > ended_at
      AND id > (lpad(to_hex((extract(epoch FROM ended_at - interval '1 minute') * 1000)::bigint), 12, '0')
                || '70008000000000000000')::uuid
  )`

/** The gap has ended, began within the last day, and holds nothing but wrong secrets. */
const SELECT_REFUSED = `${SELECT_OPEN}
  WHERE kind = 'refused' AND outcome IS NULL AND reopened_at IS NULL AND ended_at IS NOT NULL
    AND began_at > clock_timestamp() - interval '1 day'
    AND NOT EXISTS (
      SELECT FROM refusal
      WHERE receiver_id = about::uuid AND why = ANY($1) AND last_at >= began_at AND minute <= ended_at
    )
  ORDER BY began_at`

const CLOSE = `
  UPDATE gap SET outcome = $2, reason = $3, closed_by = $4, closed_at = clock_timestamp()
  WHERE id = $1 AND outcome IS NULL`

/** Minutes are read this far back, in ms: twice the length of the retry schedule (§6.8). */
const lookBackMs = 48 * 3_600_000

export interface DeferredEvidence extends Evidence {
  /** No delivery is missing any more. The evidence only ends a stored gap that still lasts. */
  readonly settled: boolean
}

/** Deliveries were deferred in these periods, and it is not known that they were retried. */
export async function deferredEvidence(client: pg.PoolClient, now: number): Promise<DeferredEvidence[]> {
  const { rows } = await client.query<DeferredRow>(DEFERRED, [
    new Date(now - lookBackMs),
    reasonsThatAre('deferred'),
  ])
  const lasting = await client.query<{ about: string; began_at: Date }>(LASTING)
  const beganAt = new Map(lasting.rows.map(({ about, began_at }) => [about, began_at.getTime()]))
  return [...Map.groupBy(rows, ({ receiver_id }) => receiver_id)].flatMap(([about, minutes]) => {
    const { last_taken = null, open = false } = minutes[0] ?? {}
    const known = { lastTaken: last_taken?.getTime() ?? null, open, now }
    const times = deferredPeriods(
      minutes.map(({ first_at, last_at }) => ({ first: first_at.getTime(), last: last_at.getTime() })),
    )
    return times.flatMap((time): DeferredEvidence[] => {
      const evidence = deferredGapOf(time, known)
      const { began, ended } = time
      if (evidence) return [{ ...evidence, about, note: null, settled: false }]
      return ended >= (beganAt.get(about) ?? Number.POSITIVE_INFINITY)
        ? [{ began, ended, about, note: null, settled: true }]
        : []
    })
  })
}

interface DeferredRow {
  readonly receiver_id: string
  readonly first_at: Date
  readonly last_at: Date
  readonly last_taken: Date | null
  readonly open: boolean
}

const LASTING = `SELECT about, began_at FROM gap WHERE kind = 'deferred' AND ended_at IS NULL`

/** Minutes within our own downtime are left out: the downtime is a gap of its own. */
const DEFERRED = `
  SELECT receiver_id, LEAST(min(COALESCE(first_at, minute)), max(last_at)) AS first_at, max(last_at) AS last_at,
    receiver.state <> 'closed' AS open,
    (SELECT received_at FROM delivery WHERE delivery.receiver_id = refusal.receiver_id
     ORDER BY delivery.id DESC LIMIT 1) AS last_taken
  FROM refusal JOIN receiver ON receiver.id = receiver_id
  WHERE minute >= $1 AND why = ANY($2) AND NOT EXISTS (
    SELECT FROM gap
    WHERE kind = 'down' AND began_at <= last_at AND ended_at >= COALESCE(first_at, minute)
  )
  GROUP BY receiver_id, minute, receiver.state ORDER BY minute`

/**
 * Deliveries that were not accepted here become gaps, and settled gaps are closed. The service is not asked. When other
 * refusals are the service's than before, that is noted for `foldLearnt` after the commit.
 */
export async function recordRefusals(client: Transaction, now: number): Promise<void> {
  const deferred = await deferredEvidence(client, now)
  await recordEvidence(client, 'refused', await refusedEvidence(client, now), now)
  await recordEvidence(client, 'deferred', deferred, now)
  const closed = await closeSettledGaps(client, deferred, now)
  await noteLearnt(client, closed)
}

/** Refusals are read this far back, in ms: further than any pause between two rounds should be. */
const refusalsReadBackMs = 24 * 3_600_000

/**
 * Deliveries that were refused for good are read by minute. A period lasts until no refusal came for as long as a
 * retry takes (§6.8), or the receiver was changed here. Wrong secrets count only while the right secret is not
 * accepted; otherwise a stranger sent them.
 */
async function refusedEvidence(client: pg.PoolClient, now: number): Promise<Evidence[]> {
  const since = new Date(now - refusalsReadBackMs)
  const { rows } = await client.query<{ receiver_id: string; first_at: Date; last_at: Date }>(FINAL, [
    since,
    reasonsThatAre('closed', 'final'),
  ])
  const final = rows.map(({ receiver_id, first_at, last_at }) => ({
    receiverId: receiver_id,
    first: first_at.getTime(),
    last: last_at.getTime(),
    // A new secret does not make a body readable.
    isOver: false,
  }))
  const wrong = (await readWrongSecrets(client, since, now))
    .filter(({ who }) => who === 'service')
    .map((minute) => ({
      ...minute,
      isOver: minute.nextTaken !== null || (minute.changed && minute.changedAt > minute.last),
    }))
  return [...final, ...wrong]
    .toSorted((a, b) => a.first - b.first)
    .map(({ receiverId, first, last, isOver }) => ({
      about: receiverId,
      began: first,
      // The last refusal may be later than the database's clock says, since another process's clock counted it.
      ended: now - last < joinDistance.refused && !isOver ? null : last,
      note: null,
    }))
}

/** A closed address counts only while an endpoint is known to point at it. */
const FINAL = `
  SELECT receiver_id, LEAST(COALESCE(first_at, minute), last_at) AS first_at, last_at FROM refusal
  WHERE minute >= $1 AND why = ANY($2) AND (why <> 'unknown-receiver' OR EXISTS (
    SELECT FROM watched_endpoint AS watched
    WHERE watched.receiver_id = refusal.receiver_id AND watched.last_active_at > refusal.last_at
  ))`
