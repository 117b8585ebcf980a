import { may, type Permission, type Role } from './roles.ts'

/** Each page of the staff requires a permission; `*` stands for any part of an address. A test checks every page. */
export const pagePermissions: readonly (readonly [path: string, Permission])[] = [
  ['/transactions', 'see-everything'],
  ['/transactions/*', 'see-everything'],
  ['/timeline', 'see-everything'],
  ['/timeline/*', 'see-everything'],
  ['/accounts', 'see-everything'],
  ['/accounts/*', 'see-everything'],
  ['/companies', 'see-everything'],
  ['/companies/*', 'see-everything'],
  ['/go', 'see-everything'],
  ['/users', 'see-everything'],
  ['/users/new', 'manage-people'],
  ['/users/import', 'manage-people'],
  ['/users/import/*', 'manage-people'],
  ['/users/*', 'see-everything'],
  ['/audit', 'read-audit'],
  ['/settings', 'manage-settings'],
  ['/settings/words', 'manage-settings'],
  ['/settings/alerts', 'manage-settings'],
  ['/team', 'manage-team'],
  ['/team/*', 'manage-team'],
  ['/notices', 'read-notices'],
  ['/profile', 'see-everything'],
  ['/overview', 'see-everything'],
  ['/alerts', 'see-alerts'],
  ['/alerts/mine', 'see-alerts'],
  ['/gaps', 'see-endpoint-health'],
  ['/gaps/*', 'see-endpoint-health'],
  ['/endpoints', 'see-endpoint-health'],
  ['/endpoints/new', 'manage-endpoints'],
  ['/endpoints/*', 'see-endpoint-health'],
  ['/replays', 'replay-deliveries'],
  ['/replays/new', 'replay-deliveries'],
  ['/replays/*', 'replay-deliveries'],
]

/** The page at this address requires this permission; null when the page is unknown. */
export const permissionOfPage = (path: string): Permission | null =>
  pagePermissions.find(([pattern]) => matches(pattern.split('/'), path.replace(/\/$/, '').split('/')))?.[1] ??
  null

const matches = (pattern: readonly string[], parts: readonly string[]) =>
  pattern.length === parts.length && pattern.every((word, i) => word === '*' || word === parts[i])

/** Each role has its own first page: admins see what needs attention, support sees what customers ask about. */
export function homePage(role: Role): '/overview' | '/transactions' | '/account' {
  if (!may(role, 'see-everything')) return '/account'
  return may(role, 'manage-endpoints') ? '/overview' : '/transactions'
}
