import { expect, it } from 'vitest'
import { homePage, permissionOfPage } from './pages.ts'
import { may, roles } from './roles.ts'

it('begins with the overview for admins, the transactions for other staff, and their own account for customers', () => {
  expect(Object.fromEntries(roles.map((role) => [role, homePage(role)]))).toEqual({
    'end-user': '/account',
    support: '/transactions',
    compliance: '/transactions',
    auditor: '/transactions',
    admin: '/overview',
  })
})

it('leads nobody to a page that they may not open', () => {
  for (const role of roles) {
    const permission = permissionOfPage(homePage(role))
    if (permission) expect(may(role, permission), role).toBe(true)
  }
})
