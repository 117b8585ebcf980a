import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type GapKind, gapOutcomes } from '../rules/gaps.ts'
import { recordRefusals } from './close-settled-gaps.ts'

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
    const { rowCount } = await tx.query(CLOSE, [gapId, outcome, reason, caller.id])
    const entry = { actor: caller, action: 'gap.close', target: gapId, reason, details: { outcome } } as const
    await recordAudit(tx, { ...entry, outcome: rowCount === 1 ? 'done' : 'refused' }, source)
    return rowCount === 1
  })
  if (!closed) throw new Refused('gap-not-open')
  return { gapId }
}

const CLOSE = `
  UPDATE gap SET outcome = $2, reason = $3, closed_by = $4, closed_at = clock_timestamp()
  WHERE id = $1 AND outcome IS NULL`

export const ReopenGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  reason: ReasonSchema,
})

/** An admin takes the outcome of a gap back; the audit keeps it. Throws `NotAllowed` and `Refused`. */
export async function reopenGap(
  caller: Caller,
  { gapId, reason }: z.output<typeof ReopenGapSchema>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const reopened = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(REOPEN, [gapId])
    const entry = { actor: caller, action: 'gap.reopen', target: gapId, reason } as const
    await recordAudit(tx, { ...entry, outcome: rowCount === 1 ? 'done' : 'refused' }, source)
    return rowCount === 1
  })
  if (!reopened) throw new Refused('gap-not-closed')
  return { gapId }
}

const REOPEN = `
  UPDATE gap SET outcome = NULL, reason = NULL, closed_by = NULL, closed_at = NULL
  WHERE id = $1 AND outcome IS NOT NULL`

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
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  await recordRefusals(tx, rows[0]?.now.getTime() ?? Date.now())
}

async function end(tx: Transaction, kinds: readonly GapKind[], about: string) {
  await tx.query(`SELECT pg_advisory_xact_lock(${advisoryLocks.gaps})`)
  await tx.query(END, [kinds, about])
}

const END = `
  UPDATE gap SET ended_at = GREATEST(began_at, clock_timestamp())
  WHERE kind = ANY($1::text[]) AND about = $2 AND ended_at IS NULL`
