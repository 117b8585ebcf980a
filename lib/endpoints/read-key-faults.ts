import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'

/** A key of `RAMPART_KEYS` that a server which runs now cannot check secrets with. */
export interface KeyFault {
  readonly keyId: string
  /** It is another than the one first used under its id, or it is not given at all. */
  readonly kind: 'changed' | 'missing'
  /** When that server was started. ISO 8601. */
  readonly since: string
  /** Addresses of this dashboard whose secrets are kept under it. */
  readonly receivers: number
  /** Deliveries to them that were asked to come again since then. */
  readonly deferred: number
}

/** Throws `NotAllowed`. */
export async function readKeyFaults(caller: Caller): Promise<KeyFault[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { rows } = await pool().query<Omit<KeyFault, 'since'> & { since: Date }>(FAULTS)
  return rows.map(({ since, ...fault }) => ({ ...fault, since: since.toISOString() }))
}

/** A process that died holds no lease any more. */
const FAULTS = planOnce(`
  WITH fault AS (
    SELECT key_id, min(kind) AS kind, min(since) AS since
    FROM key_fault JOIN lease ON lease.name = 'ingest:' || process
    WHERE expires_at > clock_timestamp() - interval '20 s'
    GROUP BY key_id
  ), counted AS (
    SELECT key_id AS "keyId", kind, since,
      (SELECT count(*)::int FROM receiver WHERE secret_key_id = key_id AND state <> 'closed') AS receivers,
      (SELECT COALESCE(sum(count), 0)::int FROM refusal JOIN receiver ON receiver.id = receiver_id
       WHERE secret_key_id = key_id AND why = 'secret-not-checkable' AND last_at >= since) AS deferred
    FROM fault
  )
  SELECT * FROM counted WHERE kind = 'changed' OR receivers > 0 ORDER BY "keyId"`)
