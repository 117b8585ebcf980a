import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { bodyVisibility } from '#lib/access/rules/events.ts'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/sql-text.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { requireWithinLimit } from '#lib/platform/limits/limits.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { RevealReasonSchema, recordReveal, requireReason } from './reveal.ts'

export const RevealBodySchema = z.object({
  event: uuidField('This names no event.'),
  reason: RevealReasonSchema,
})

/**
 * The raw body of one event, or of a delivery that could not be folded, is shown; its id names it. A role that
 * sees bodies plain gives no reason, but the audit records it as well. Throws `NotAllowed`, `SignInAgain`,
 * `TooMany`, `InvalidInput`, `Refused`.
 */
export async function revealBody(
  caller: Caller,
  { event, reason: given }: z.output<typeof RevealBodySchema>,
  source: CallSource,
): Promise<{ readonly body: string }> {
  requirePermission(caller, 'see-everything')
  const found = await readBody(event)
  if (!found) throw new Refused('body-gone')
  const visibility = bodyVisibility(caller.role, found.type)
  if (visibility !== 'plain' && visibility !== 'reveal') throw new NotAllowed()
  if (visibility === 'reveal') requireFreshSignIn(caller)
  const reason = visibility === 'reveal' ? await requireReason(given) : given
  await requireWithinLimit('reveal-per-person', caller.id)
  const entry = {
    action: 'read.body',
    target: event,
    ...(reason ? { reason } : {}),
    details: { subject: found.subjectId, person: found.person },
  } as const
  if (visibility === 'reveal') await recordReveal(caller, entry, source)
  else await recordAuditAlone({ ...entry, actor: caller, outcome: 'done' }, source)
  return { body: found.body }
}

interface FoundBody {
  readonly type: string | null
  readonly subjectId: string | null
  readonly person: string | null
  readonly body: string
}

async function readBody(id: string): Promise<FoundBody | null> {
  const { rows } = await pool().query<BodyRow>(BODY, [id])
  const [row] = rows
  if (!row?.body) return null
  const parsed = parseEnvelope(row.body)
  const envelope = parsed.kind === 'envelope' ? parsed.envelope : null
  return {
    type: row.type ?? envelope?.type ?? null,
    subjectId: row.subject_id,
    person: row.entity_uuid ?? envelope?.uuid ?? null,
    body: row.body.toString('utf8'),
  }
}

interface BodyRow {
  readonly type: string | null
  readonly subject_id: string | null
  readonly entity_uuid: string | null
  readonly body: Buffer | null
}

const BODY = `
  WITH kept AS MATERIALIZED (
    SELECT type, subject_id, entity_uuid, id, envelope FROM event WHERE id = $1 AND body_left_at IS NULL
  )
  SELECT type, subject_id, entity_uuid, ${bodyOf('kept')} AS body FROM kept
  UNION ALL
  SELECT NULL, NULL, NULL, body FROM delivery JOIN delivery_pending ON delivery_id = id
  WHERE id = $1 AND dead_lettered_at IS NOT NULL
  LIMIT 1`
