import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type AuditRow, type AuditView, auditColumns, joinReason, toAuditView } from './audit-view.ts'
import type { AuditAction } from './record-audit.ts'

/** An endpoint was changed here. A change whose outcome is `begun` was interrupted. */
export interface EndpointChange extends Pick<AuditView, 'id' | 'at' | 'action' | 'outcome' | 'changes'> {
  /** Only roles that may read the audit see who made the change; null for the others. */
  readonly by: { readonly name: string; readonly reason: string | null } | null
}

/** The latest changes of an endpoint that were made here come first, limited in number. Throws `NotAllowed`. */
export async function listEndpointHistory(
  caller: Caller,
  endpointUuid: string,
  most = 50,
): Promise<EndpointChange[]> {
  requirePermission(caller, 'see-endpoint-health')
  const making: readonly AuditAction[] = ['endpoint.create', 'endpoint.replace']
  const { rows } = await pool().query<AuditRow>({
    ...HISTORY,
    values: [endpointUuid.toLowerCase(), making, most],
  })
  const mayKnow = may(caller.role, 'read-audit')
  return rows.map((row) => {
    const { id, at, action, outcome, changes, actor, reason } = toAuditView(caller.role, row)
    const by = mayKnow ? { name: actor?.name ?? actor?.id ?? 'unknown', reason } : null
    return { id, at, action, outcome, changes, by }
  })
}

/**
 * The history joins the entries that name the endpoint and those that later say they made it. A `begun` entry
 * is left out when the next entry of the same action and actor says how it ended.
 */
const HISTORY = planOnce(`
  WITH mine AS (
    SELECT * FROM audit WHERE target = $1 AND starts_with(action, 'endpoint.')
    UNION ALL
    SELECT * FROM audit WHERE action = ANY($2) AND details ->> 'endpointUuid' = $1 AND target IS DISTINCT FROM $1
  ), followed AS (
    SELECT mine.*, lead(outcome) OVER (PARTITION BY action, actor ORDER BY at, id) AS next_outcome FROM mine
  )
  SELECT ${auditColumns}, member.name AS actor_name, NULL AS target_name, NULL AS endpoint_name FROM followed AS entry
  ${joinReason}
  LEFT JOIN LATERAL (
    SELECT name FROM member WHERE user_uuid::text = entry.actor OR member.id::text = entry.actor LIMIT 1
  ) AS member ON true
  WHERE entry.outcome <> 'begun' OR next_outcome IS NULL OR next_outcome = 'begun'
  ORDER BY entry.at DESC, entry.id DESC LIMIT $3`)

/** The audit shows a request for a sign-in code in this form. */
export interface CodeRequestView {
  /** ISO 8601. */
  readonly at: string
  /** `why` is null when the service took the request; otherwise it says why no code was sent. */
  readonly why: string | null
  /** The browser that asked sent this text about itself. */
  readonly userAgent: string | null
}

/** These are the codes requested in the last day for a person in the directory, newest first, at most 20. */
export async function listCodeRequests(userUuid: string): Promise<CodeRequestView[]> {
  const { rows } = await pool().query<CodeRequestRow>(LIST, [userUuid])
  return rows.map(({ at, why, user_agent }) => ({ at: at.toISOString(), why, userAgent: user_agent }))
}

interface CodeRequestRow {
  readonly at: Date
  readonly why: string | null
  readonly user_agent: string | null
}

const LIST = `
  SELECT at, details->>'why' AS why, user_agent FROM audit
  WHERE target = $1 AND action = 'code.request' AND at > now() - interval '1 day'
  ORDER BY at DESC, id DESC LIMIT 20`
