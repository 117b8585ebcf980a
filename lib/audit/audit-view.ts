import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { reasonSort, showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import { mayKnowSnooze } from '#lib/operations/rules/attention-kinds.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { AuditEntry } from './record-audit.ts'

/** Staff see an audit entry in this form. */
export interface AuditView {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** `actor` is null when nobody was known; `name` is set for a member of the team. */
  readonly actor: { readonly id: string; readonly name: string | null; readonly role: string | null } | null
  /** The action is an `AuditAction`, or one of another version. */
  readonly action: string
  readonly target: string | null
  /** `targetName` is the name of a member, of an invited person or of an endpoint. Customers have only ids here. */
  readonly targetName: string | null
  /** A company is an entity that people or events name as a company. */
  readonly isCompany: boolean
  readonly outcome: AuditEntry['outcome'] | (string & {})
  readonly reason: string | null
  /** A reason was given and is not shown: the role may not see it, or it was removed with a person. */
  readonly reasonWithheld: 'not-for-role' | 'erased' | null
  /** The facts are in the order in which they were given. */
  readonly details: readonly Fact[]
  /** Each change has its value before and after. */
  readonly changes: readonly { readonly name: string; readonly before: string; readonly after: string }[]
  readonly ip: string | null
  readonly userAgent: string | null
}

interface Fact {
  readonly name: string
  readonly value: string
}

/** The audit table holds these columns of an `AuditRow`; an older entry holds its reason itself. */
export const auditColumns = `
  entry.id, entry.at, entry.actor, entry.actor_role, entry.action, entry.target, entry.outcome,
  COALESCE(said.text, entry.reason) AS reason, said.entry_id IS NOT NULL AND said.text IS NULL AS reason_erased,
  entry.details, entry.ip, entry.user_agent`

/** `auditColumns` needs this join to `entry`. */
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

/** The role sees the entry; if the role may not know the content, it sees only that something was done. */
export function toAuditView(role: Role, row: AuditRow, isCompany = false): AuditView {
  const known = knownTo(role, row)
  return viewOf(role, known, isCompany && known.target !== null)
}

/** The role may not know what the entry is about. */
export const isTargetHidden = (role: Role, row: AuditRow): boolean =>
  row.target !== null && knownTo(role, row).target === null

function knownTo(role: Role, row: AuditRow): AuditRow {
  const { action, target, details } = row
  if (action.startsWith('overview.') && !mayKnowSnooze(role, details.kind)) return bare(row)
  if (visibilityOf(role, 'endpoint') !== 'hidden') return row
  if (ofEndpoints.test(action))
    return { ...row, target: target && isUuid(target) ? target : null, details: {} }
  const { address: _, ...others } = details
  return action.startsWith('replay.') ? { ...row, details: others } : row
}

/** The facts of these actions name an endpoint, or say how its deliveries went. The target may be its address. */
const ofEndpoints = /^(endpoint\.|gap\.|alert\.(un)?acknowledge$)/

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

/** A changed role is kept as a single word. */
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
