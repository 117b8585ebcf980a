import { may, type Role } from './roles.ts'

/** Each role has its own first page: admins see what needs attention, support sees what customers ask about. */
export function homePage(role: Role): '/overview' | '/transactions' | '/account' {
  if (!may(role, 'see-everything')) return '/account'
  return may(role, 'manage-endpoints') ? '/overview' : '/transactions'
}
