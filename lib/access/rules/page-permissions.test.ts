import { expect, it } from 'vitest'
import { permissionOfPage } from './pages.ts'

it.each([
  ['/transactions', 'see-everything'],
  ['/transactions/t-1', 'see-everything'],
  ['/timeline', 'see-everything'],
  ['/timeline/transaction:t-1', 'see-everything'],
  ['/accounts', 'see-everything'],
  ['/accounts/a-1', 'see-everything'],
  ['/companies', 'see-everything'],
  ['/companies/c-1', 'see-everything'],
  ['/go', 'see-everything'],
  ['/users', 'see-everything'],
  ['/users/u-1', 'see-everything'],
  ['/users/new', 'manage-people'],
  ['/users/import', 'manage-people'],
  ['/users/import/i-1', 'manage-people'],
  ['/audit', 'read-audit'],
  ['/settings', 'manage-settings'],
  ['/settings/words', 'manage-settings'],
  ['/settings/alerts', 'manage-settings'],
  ['/team', 'manage-team'],
  ['/team/m-1', 'manage-team'],
  ['/notices', 'read-notices'],
  ['/profile', 'see-everything'],
  ['/overview', 'see-everything'],
  ['/alerts', 'see-alerts'],
  ['/alerts/mine', 'see-alerts'],
  ['/gaps', 'see-endpoint-health'],
  ['/gaps/g-1', 'see-endpoint-health'],
  ['/endpoints', 'see-endpoint-health'],
  ['/endpoints/e-1', 'see-endpoint-health'],
  ['/endpoints/new', 'manage-endpoints'],
  ['/replays', 'replay-deliveries'],
  ['/replays/new', 'replay-deliveries'],
  ['/replays/r-1', 'replay-deliveries'],
])('%s asks for %s, with and without a slash at its end', (path, permission) => {
  expect(permissionOfPage(path)).toBe(permission)
  expect(permissionOfPage(`${path}/`)).toBe(permission)
})

it.each(['/', '', '/sign-in', '/settings/other', '/transactions/t-1/more', 'transactions', '//transactions'])(
  'of the page %j nothing is known',
  (path) => {
    expect(permissionOfPage(path)).toBeNull()
  },
)
