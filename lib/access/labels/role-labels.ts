import type { Role, StaffRole } from '../rules/roles.ts'

export const roleLabels = {
  'end-user': 'Customer',
  support: 'Support',
  compliance: 'Compliance',
  auditor: 'Auditor',
  admin: 'Admin',
} as const satisfies Record<Role, string>

/** Each role is explained in a few words. */
export const roleMeanings = {
  support: 'finds transactions and helps customers',
  compliance: 'reads AML cases and personal data',
  auditor: 'reads the audit, personal data masked',
  admin: 'manages endpoints, team and settings',
} as const satisfies Record<StaffRole, string>
