import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { reasonSort, showValue } from '#lib/access/rules/visibility.ts'
import { mayKnowMute } from '#lib/operations/rules/may-know-look.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { AuditEntry } from './record-audit.ts'

/** An entry as staff see it. */
export interface AuditView {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** Who did it; null when nobody was known. `name` is that of a member of the team. */
  readonly actor: { readonly id: string; readonly name: string | null; readonly role: string | null } | null
  /** An `AuditAction`, or one of another version. */
  readonly action: string
  readonly target: string | null
  /** What `target` is called: a member, whoever was invited, an endpoint. Customers are named by their ids alone. */
  readonly targetName: string | null
  /** Whether `target` is a company: an entity of which people or events speak as one. */
  readonly isCompany: boolean
  readonly outcome: AuditEntry['outcome'] | (string & {})
  readonly reason: string | null
  /** Why a reason that was given is not here: it is not for the role, or was removed with a person. */
  readonly reasonWithheld: 'not-for-role' | 'erased' | null
  /** Facts in the order in which they were given. */
  readonly details: readonly Fact[]
  /** What was changed: as it was, and as it is since. */
  readonly changes: readonly { readonly name: string; readonly before: string; readonly after: string }[]
  readonly ip: string | null
  readonly userAgent: string | null
}

interface Fact {
  readonly name: string
  readonly value: string
}

/** The columns of an `AuditRow` that the audit holds; the reason of an older entry stands in the entry. */
export const auditColumns = `
  entry.id, entry.at, entry.actor, entry.actor_role, entry.action, entry.target, entry.outcome,
  COALESCE(said.text, entry.reason) AS reason, said.entry_id IS NOT NULL AND said.text IS NULL AS reason_erased,
  entry.details, entry.ip, entry.user_agent`

/** To be joined to `entry`, for `auditColumns`. */
export const joinReason = 'LEFT JOIN audit_reason AS said ON said.entry_id = entry.id'

export interface AuditRow {
  readonly id: string
  readonly at: Date
  readonly actor: string | null
  readonly actor_name: string | null
  readonly actor_role: string | null
  readonly action: string
  readonly target: string | null
  readonly target_name: string | null
  readonly endpoint_name: string | null
  readonly outcome: string
  readonly reason: string | null
  readonly reason_erased: boolean
  readonly details: Readonly<Record<string, unknown>>
  readonly ip: string | null
  readonly user_agent: string | null
}

/** An entry as a role may see it: of what it may not know of, only that something was done. */
export const toAuditView = (role: Role, row: AuditRow, isCompany = false): AuditView =>
  isHidden(role, row) ? viewOf(role, bare(row), false) : viewOf(role, row, isCompany)

/** Whether an entry tells of what the role may not know of. */
export const isHidden = (role: Role, { action, details }: AuditRow): boolean =>
  action.startsWith('overview.') && !mayKnowMute(role, details.kind)

const bare = (row: AuditRow): AuditRow => ({
  ...row,
  target: null,
  target_name: null,
  endpoint_name: null,
  reason: null,
  reason_erased: false,
  details: {},
})

function viewOf(role: Role, row: AuditRow, isCompany: boolean): AuditView {
  const { before, after, ...details } = row.details
  const reason = showValue(role, reasonSort(row.action), row.reason)
  const [was, is] = [recordOf(before), recordOf(after)]
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor === null ? null : { id: row.actor, name: row.actor_name, role: row.actor_role },
    action: row.action,
    target: row.target,
    targetName: row.target_name ?? showValue(role, 'endpoint', row.endpoint_name),
    isCompany,
    outcome: row.outcome,
    reason,
    reasonWithheld: row.reason_erased ? 'erased' : reason === row.reason ? null : 'not-for-role',
    details: Object.entries(details).map(([name, value]) => ({ name, value: textOf(value) })),
    changes: [...new Set([...Object.keys(was), ...Object.keys(is)])].map((name) => ({
      name,
      before: textOf(ownValue(was, name)),
      after: textOf(ownValue(is, name)),
    })),
    ip: row.ip,
    userAgent: row.user_agent,
  }
}

/** A changed role is kept as its one word. */
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
    ? { ...value }
    : typeof value === 'string'
      ? { role: value }
      : {}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
