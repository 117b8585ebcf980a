import 'server-only'
import type pg from 'pg'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { processLives } from '#lib/platform/keys/agree-on-keys.ts'

/** A running server cannot check secrets with this key of `RAMPART_KEYS`. */
export interface KeyFault {
  readonly keyId: string
  /** `changed`: the key differs from the one first used under its id. `missing`: it is not given at all. */
  readonly kind: 'changed' | 'missing'
  /** That server was started at this time (ISO 8601). */
  readonly since: string
  /** This many addresses of this dashboard keep their secrets under the key. */
  readonly receivers: number
  /** This many deliveries to them were deferred since then. */
  readonly deferred: number
}

/** The list has every key that a running server lacks or has wrong. Throws `NotAllowed`. */
export async function readKeyFaults(caller: Caller): Promise<KeyFault[]> {
  requirePermission(caller, 'see-endpoint-health')
  return listKeyFaults(pool())
}

/** The list is for metrics and for operators. */
export async function listKeyFaults(database: pg.Pool): Promise<KeyFault[]> {
  const { rows } = await database.query<Omit<KeyFault, 'since'> & { since: Date }>(FAULTS)
  return rows.map(({ since, ...fault }) => ({ ...fault, since: since.toISOString() }))
}

/** The faults of a process that died count no more. */
const FAULTS = planOnce(`
  WITH fault AS (
    SELECT key_id, min(kind) AS kind, min(since) AS since
    FROM key_fault WHERE ${processLives}
    GROUP BY key_id
  ), counted AS (
    SELECT key_id AS "keyId", kind, since,
      (SELECT count(*)::int FROM receiver WHERE secret_key_id = key_id AND state <> 'closed') AS receivers,
      (SELECT COALESCE(sum(count), 0)::int FROM refusal JOIN receiver ON receiver.id = receiver_id
       WHERE secret_key_id = key_id AND why = 'secret-not-checkable' AND last_at >= since) AS deferred
    FROM fault
  )
  SELECT * FROM counted WHERE kind = 'changed' OR receivers > 0 ORDER BY "keyId"`)
