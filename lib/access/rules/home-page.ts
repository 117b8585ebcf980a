import { may, type Role } from './roles.ts'

/** The page that somebody of this role begins with: who runs things sees what needs a look, support what customers ask about. */
export function homePage(role: Role): '/overview' | '/transactions' | '/account' {
  if (!may(role, 'see-everything')) return '/account'
  return may(role, 'manage-endpoints') ? '/overview' : '/transactions'
}
