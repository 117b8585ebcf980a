import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { foldLearnt, type Learnt, noteLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type GapKind, gapOutcomes } from '../rules/gaps.ts'
import { recordRefusals } from './close-settled-gaps.ts'
import { isReadByFolds, lockGaps } from './record-evidence.ts'

export const CloseGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  outcome: z.enum(gapOutcomes, 'Choose an outcome.'),
  reason: ReasonSchema,
})

/**
 * An admin records the outcome of a gap, also while it lasts. It can be reopened. Throws `NotAllowed` and
 * `Refused`.
 */
export async function closeGap(
  caller: Caller,
  { gapId, outcome, reason }: z.output<typeof CloseGapSchema>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const closed = await inTransaction(pool(), async (tx) => {
    await lockGaps(tx)
    const { rows } = await tx.query<Judged>(CLOSE, [gapId, outcome, reason, caller.id])
    await noteLearnt(tx, rows.flatMap(learntFrom))
    const entry = { actor: caller, action: 'gap.close', target: gapId, reason, details: { outcome } } as const
    await recordAudit(tx, { ...entry, outcome: rows[0] ? 'done' : 'refused' }, source)
    return rows.length === 1
  })
  if (!closed) throw new Refused('gap-not-open')
  // Nobody waits for this, since it may take a minute.
  void foldLearnt(pool())
  return { gapId }
}

const CLOSE = `
  UPDATE gap SET outcome = $2, reason = $3, closed_by = $4, closed_at = clock_timestamp()
  WHERE id = $1 AND outcome IS NULL
  RETURNING kind, about, began_at, outcome`

/** A person gave the gap this outcome, or took it back. */
interface Judged {
  readonly kind: GapKind
  readonly about: string
  readonly began_at: Date
  readonly outcome: string | null
}

/** A false alarm is no evidence for the timeline: what came since is folded again without it, or with it. */
const learntFrom = ({ kind, about, began_at, outcome }: Judged): Learnt[] =>
  outcome === 'no-gap' && isReadByFolds(kind) ? [{ about, began: began_at.getTime() }] : []

export const ReopenGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  reason: ReasonSchema,
})

/**
 * An admin takes the outcome of a gap back; the audit keeps it. The gap stays open until a person closes it. Throws
 * `NotAllowed` and `Refused`.
 */
export async function reopenGap(
  caller: Caller,
  { gapId, reason }: z.output<typeof ReopenGapSchema>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const reopened = await inTransaction(pool(), async (tx) => {
    await lockGaps(tx)
    const { rows } = await tx.query<Judged>(REOPEN, [gapId])
    await noteLearnt(tx, rows.flatMap(learntFrom))
    const entry = { actor: caller, action: 'gap.reopen', target: gapId, reason } as const
    await recordAudit(tx, { ...entry, outcome: rows[0] ? 'done' : 'refused' }, source)
    return rows.length === 1
  })
  if (!reopened) throw new Refused('gap-not-closed')
  // Nobody waits for this, since it may take a minute.
  void foldLearnt(pool())
  return { gapId }
}

const REOPEN = `
  UPDATE gap SET outcome = NULL, reason = NULL, closed_by = NULL, closed_at = NULL,
    reopened_at = clock_timestamp()
  FROM (SELECT id AS closed, outcome AS taken_back FROM gap WHERE id = $1) AS before
  WHERE id = closed AND outcome IS NOT NULL
  RETURNING kind, about, began_at, taken_back AS outcome`

/**
 * A change made here ended the cause of these gaps: the endpoint is active, gone, or delivers elsewhere. They end
 * in the transaction `tx`, so no page says until the next round that the endpoint receives nothing.
 */
export const endGapsOfEndpoint = (tx: Transaction, endpointUuid: string): Promise<void> =>
  end(tx, ['disabled', 'auto-disabled'], endpointUuid.toLowerCase())

/** Gaps of a refused API key end once the service has accepted another key. */
export const endGapsOfKey = (tx: Transaction): Promise<void> => end(tx, ['key-refused'], '')

/** Gaps of refused deliveries end once a receiver has another secret, or accepts no deliveries any more. */
export async function endRefusals(tx: Transaction): Promise<void> {
  await recordRefusals(tx, await readClock(tx))
}

async function end(tx: Transaction, kinds: readonly GapKind[], about: string) {
  await lockGaps(tx)
  await tx.query(END, [kinds, about])
}

const END = `
  UPDATE gap SET ended_at = GREATEST(began_at, clock_timestamp())
  WHERE kind = ANY($1::text[]) AND about = $2 AND ended_at IS NULL`
