import type { Role } from '#lib/domain/access/roles.ts'

export const roleLabels = {
  'end-user': 'End user',
  support: 'Support',
  compliance: 'Compliance',
  auditor: 'Auditor',
  admin: 'Admin',
} as const satisfies Record<Role, string>
