import { expect, test } from 'vitest'
import { roleOfClaims } from './role-of-claims.ts'
import type { StaffRole } from './roles.ts'

const roles = new Map<string, StaffRole>([
  ['rampart-admins', 'admin'],
  ['helpdesk', 'support'],
  ['AML team', 'compliance'],
])

test.each([
  { what: 'one value', claims: { groups: 'helpdesk' }, gives: 'support' },
  { what: 'a list', claims: { groups: ['everybody', 'helpdesk'] }, gives: 'support' },
  { what: 'several roles', claims: { groups: ['helpdesk', 'AML team', 'rampart-admins'] }, gives: 'admin' },
  { what: 'no mapped value', claims: { groups: ['everybody'] }, gives: null },
  { what: 'another spelling', claims: { groups: ['Helpdesk'] }, gives: null },
  { what: 'an empty list', claims: { groups: [] }, gives: null },
  { what: 'no such claim', claims: { roles: ['helpdesk'] }, gives: null },
  { what: 'values that are no text', claims: { groups: [1, null, { helpdesk: true }] }, gives: null },
  { what: 'a value that every object has', claims: { groups: ['constructor', '__proto__'] }, gives: null },
])('$what gives $gives', ({ claims, gives }) => {
  expect(roleOfClaims(claims, { claim: 'groups', roles })).toBe(gives)
})

test.each([
  [{ realm_access: { roles: ['helpdesk'] } }, 'realm_access.roles', 'support'],
  [{ 'https://example.com/roles': ['helpdesk'] }, 'https://example.com/roles', 'support'],
  [{ realm_access: 'roles' }, 'realm_access.roles', null],
  [{ realm_access: 'helpdesk' }, 'realm_access.length', null],
  [{ realm_access: null }, 'realm_access.roles', null],
  [{ realm_access: 5 }, 'realm_access.roles', null],
  [{}, 'constructor.name', null],
] as const)('finds in %j the claim %s', (claims, claim, gives) => {
  expect(roleOfClaims(claims, { claim, roles })).toBe(gives)
})
