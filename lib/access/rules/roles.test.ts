import { expect, it } from 'vitest'
import { may, type Permission, parseRole, type Role, roles } from './roles.ts'

it.each<[Permission, Role[]]>([
  ['see-own', ['end-user', 'support', 'compliance', 'auditor', 'admin']],
  ['see-everything', ['support', 'compliance', 'auditor', 'admin']],
  ['work-on-cases', ['support', 'compliance', 'admin']],
  ['reveal-personal-data', ['support', 'compliance', 'admin']],
  ['see-endpoint-health', ['support', 'auditor', 'admin']],
  ['see-alerts', ['support', 'compliance', 'auditor', 'admin']],
  ['read-audit', ['compliance', 'auditor', 'admin']],
  ['manage-endpoints', ['admin']],
  ['replay-deliveries', ['admin']],
  ['manage-team', ['admin']],
  ['manage-settings', ['admin']],
])('%s is for %j alone', (permission, holders) => {
  expect(roles.filter((role) => may(role, permission))).toEqual(holders)
})

it('reads a role and refuses anything else', () => {
  expect(parseRole('admin')).toBe('admin')
  expect(['', 'Admin', 'root', '__proto__'].map(parseRole)).toEqual([null, null, null, null])
})
