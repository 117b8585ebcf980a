/** Roles of members; a person with no staff role is an end user. */
export const roles = ['end-user', 'support', 'compliance', 'auditor', 'admin'] as const
export type Role = (typeof roles)[number]

/** The roles that members are given. */
export const staffRoles = ['support', 'compliance', 'auditor', 'admin'] as const satisfies readonly Role[]
export type StaffRole = (typeof staffRoles)[number]

/** What a role may do, and who may do it. */
const allowed = {
  /** Own profile, own transactions and events. */
  'see-own': ['end-user', 'support', 'compliance', 'auditor', 'admin'],
  /** Search, timeline, transactions and users of everybody. */
  'see-everything': ['support', 'compliance', 'auditor', 'admin'],
  /** Notes, exports, "does this match?" checks. */
  'work-on-cases': ['support', 'compliance', 'admin'],
  /** Masked fields shown whole one by one, each time with an audit entry. Which fields: `record-fields.ts`. */
  'reveal-personal-data': ['support', 'compliance', 'admin'],
  /** Add, import, erase and export people, and end their sessions. */
  'manage-people': ['admin'],
  'see-endpoint-health': ['support', 'auditor', 'admin'],
  /** Read, verify and export the audit. */
  'read-audit': ['compliance', 'auditor', 'admin'],
  /** Create, change, rotate, disable and delete endpoints. */
  'manage-endpoints': ['admin'],
  /** Send stored deliveries again, here or elsewhere: they carry personal data. */
  'replay-deliveries': ['admin'],
  'manage-team': ['admin'],
  /** What all admins are told. */
  'read-notices': ['admin'],
  'manage-settings': ['admin'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof allowed

/** Whether a role carries a permission. */
export function may(role: Role, permission: Permission): boolean {
  const holders: readonly Role[] = allowed[permission]
  return holders.includes(role)
}

/** Reads a role from a row or a form; null for anything else. */
export const parseRole = (text: string): Role | null => roles.find((role) => role === text) ?? null
