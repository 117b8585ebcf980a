/** Members have roles; a person without a staff role is an end user. */
export const roles = ['end-user', 'support', 'compliance', 'auditor', 'admin'] as const
export type Role = (typeof roles)[number]

/** Members are given one of these roles. */
export const staffRoles = ['support', 'compliance', 'auditor', 'admin'] as const satisfies readonly Role[]
export type StaffRole = (typeof staffRoles)[number]

/** Each permission lists the roles that carry it. */
const allowed = {
  /** The permission covers the caller's own profile, transactions and events. */
  'see-own': ['end-user', 'support', 'compliance', 'auditor', 'admin'],
  /** The permission covers search, timeline, transactions and users of everybody. */
  'see-everything': ['support', 'compliance', 'auditor', 'admin'],
  /** The permission covers notes, exports and "does this match?" checks. */
  'work-on-cases': ['support', 'compliance', 'admin'],
  /** Masked fields are revealed one by one, each with an audit entry. `records.ts` lists the fields. */
  'reveal-personal-data': ['support', 'compliance', 'admin'],
  /** The permission covers adding, importing, erasing and exporting people, and ending their sessions. */
  'manage-people': ['admin'],
  'see-endpoint-health': ['support', 'auditor', 'admin'],
  /** Each role sees and receives the alerts of its own conditions alone. `alert-conditions.ts` says which. */
  'see-alerts': ['support', 'compliance', 'auditor', 'admin'],
  /** The permission covers reading, verifying and exporting the audit. */
  'read-audit': ['compliance', 'auditor', 'admin'],
  /** The permission covers creating, changing, rotating, disabling and deleting endpoints. */
  'manage-endpoints': ['admin'],
  /** Replays send stored deliveries again, here or elsewhere; deliveries carry personal data. */
  'replay-deliveries': ['admin'],
  'manage-team': ['admin'],
  'read-notices': ['admin'],
  'manage-settings': ['admin'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof allowed

/** These roles carry the permission. */
export type RoleWith<P extends Permission> = (typeof allowed)[P][number]

export function may<P extends Permission>(role: Role, permission: P): role is RoleWith<P> {
  const holders: readonly Role[] = allowed[permission]
  return holders.includes(role)
}

/** A role is read from a row or a form; null for anything else. */
export const parseRole = (text: string): Role | null => roles.find((role) => role === text) ?? null
