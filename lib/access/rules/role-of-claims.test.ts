import { expect, test } from 'vitest'
import { findClaim, roleOfClaims } from './role-of-claims.ts'
import type { StaffRole } from './roles.ts'

const roles = new Map<string, StaffRole>([
  ['rampart-admins', 'admin'],
  ['helpdesk', 'support'],
  ['AML team', 'compliance'],
  ['Ops, Lisbon', 'auditor'],
  ['/staff/auditors', 'auditor'],
  ['17', 'support'],
])
const kindOf = (claims: Record<string, unknown>, claim = 'groups') => {
  const said = roleOfClaims([claims], { claim, roles })
  return said.kind === 'role' ? said.role : said.kind
}

test.each([
  { what: 'one value', claims: { groups: 'helpdesk' }, gives: 'support' },
  { what: 'a list', claims: { groups: ['everybody', 'helpdesk'] }, gives: 'support' },
  { what: 'several roles', claims: { groups: ['helpdesk', 'AML team', 'rampart-admins'] }, gives: 'admin' },
  { what: 'a number', claims: { groups: [4, 17] }, gives: 'support' },
  { what: 'a name with a comma', claims: { groups: 'Ops, Lisbon' }, gives: 'auditor' },
  { what: 'a path of one part', claims: { groups: ['/helpdesk'] }, gives: 'support' },
  { what: 'a mapped path', claims: { groups: ['/staff/auditors'] }, gives: 'auditor' },
  { what: 'a path that ends like it', claims: { groups: ['/guests/helpdesk'] }, gives: 'none' },
  { what: 'keys of an object', claims: { groups: { helpdesk: { 1: 'example.com' } } }, gives: 'support' },
  {
    what: 'keys that are true',
    claims: { groups: { helpdesk: true, 'rampart-admins': false } },
    gives: 'support',
  },
])('$what gives $gives', ({ claims, gives }) => {
  expect(kindOf(claims)).toBe(gives)
})

test.each([
  [['everybody']],
  ['Helpdesk'],
  ['rampart-admins-former'],
  ['Sales team'],
  ['CN=helpdesk,OU=groups'],
  [[]],
  [false],
  [['constructor', '__proto__']],
  [['Support AML team']],
  [['Sales, AML team', 'everybody']],
  [['xhelpdesk']],
  ['Sales/helpdesk'],
  [{ everybody: {} }],
])('%j is no role', (groups) => {
  expect(kindOf({ groups })).toBe('none')
})

test.each([
  [{}],
  [{ roles: ['helpdesk'] }],
  [{ groups: null }],
  [{ groups: ' ' }],
  [{ _claim_names: { groups: 'src1' } }],
  [{ groups: ['helpdesk'], _claim_names: { groups: 'src1' } }],
  [{ groups: ['helpdesk'], _claim_names: { groups: 'src1', name: 'src1' } }],
  [{ groups: [], hasgroups: 'true' }],
  [{ groups: [], hasgroups: true }],
  [{ 'groups:src1': 'https://graph.example' }],
])('%j says nothing', (claims) => {
  expect(kindOf(claims)).toBe('not-sent')
})

test.each([
  [[1.5]],
  [[null, 'helpdesk']],
  [['']],
  [[' ']],
  [[{ name: 'helpdesk' }]],
  [[['helpdesk']]],
  [{}],
  [{ roles: ['helpdesk'] }],
  [{ dash: { roles: ['helpdesk'] } }],
  [{ helpdesk: 1 }],
  [{ helpdesk: true, dash: 5 }],
  ['rampart-admins,helpdesk'],
  ['everybody, helpdesk'],
  ['everybody;/helpdesk'],
  ['everybody\nAML team'],
  ['everybody helpdesk'],
  ['helpdesk everybody'],
  ['everybody, /x, /helpdesk'],
  ['everybody,Ops, Lisbon'],
  ['["helpdesk"]'],
  ['[everybody, helpdesk]'],
  ['{"helpdesk":true}'],
  [['everybody, helpdesk']],
  [['helpdesk , everybody']],
])('%j cannot be read', (groups) => {
  expect(kindOf({ groups })).toBe('unreadable')
})

test.each([
  [{ realm_access: { roles: ['helpdesk'] } }, 'realm_access.roles', 'support'],
  [{ 'https://example.com/roles': ['helpdesk'] }, 'https://example.com/roles', 'support'],
  [
    { resource_access: { 'dash.merchant.test': { roles: ['helpdesk'] } } },
    'resource_access.dash.merchant.test.roles',
    'support',
  ],
  [{ 'a.b': { 'c.d': 'helpdesk' } }, 'a.b.c.d', 'support'],
  [{ 'a.b': {}, a: { b: { c: 'helpdesk' } } }, 'a.b.c', 'support'],
  [{ realm_access: 'roles' }, 'realm_access.roles', 'not-sent'],
  [{ realm_access: 'helpdesk' }, 'realm_access.length', 'not-sent'],
  [{ realm_access: ['helpdesk'] }, 'realm_access.0', 'not-sent'],
  [{ realm_access: null }, 'realm_access.roles', 'not-sent'],
  [{ realm_access: 5 }, 'realm_access.roles', 'not-sent'],
  [{ _claim_names: { resource_access: 'src1' } }, 'resource_access.dash.roles', 'not-sent'],
  [
    { _claim_names: { resource_access: 'src1' }, resource_access: { dash: { roles: ['helpdesk'] } } },
    'resource_access.dash.roles',
    'not-sent',
  ],
  [
    { _claim_names: { resource: 'src1' }, resource_access: { dash: { roles: ['helpdesk'] } } },
    'resource_access.dash.roles',
    'support',
  ],
  [{ groups: { all: [] }, hasgroups: true }, 'groups.all', 'not-sent'],
  [{ roles: [], hasgroups: true }, 'roles', 'none'],
  [{ '': { groups: 'helpdesk' } }, 'groups', 'not-sent'],
  [{}, 'constructor.name', 'not-sent'],
] as const)('finds in %j the claim %s', (claims, claim, gives) => {
  expect(kindOf(claims, claim)).toBe(gives)
})

test('the first answer that has the claim counts, and null has none', () => {
  const other = { realm_access: { roles: ['helpdesk'] } }
  expect(findClaim([{ realm_access: {} }, other], 'realm_access.roles')).toEqual(['helpdesk'])
  expect(findClaim([{ groups: null }, { groups: 'helpdesk' }], 'groups')).toBe('helpdesk')
})

test.each([
  [[], ['rampart-admins'], 'admin'],
  [[], 'helpdesk', 'support'],
  [[], { helpdesk: true }, 'support'],
  [[], ['everybody'], 'none'],
  [[], [], 'none'],
  [[], undefined, 'none'],
  [[], null, 'none'],
  [[], ' ', 'none'],
  [[], ['helpdesk;everybody'], 'unreadable'],
  [undefined, [], 'none'],
  [['helpdesk'], [], 'support'],
  [['everybody'], ['rampart-admins'], 'none'],
  [['helpdesk'], ['rampart-admins'], 'support'],
  ['everybody', ['rampart-admins'], 'none'],
  [{}, ['rampart-admins'], 'unreadable'],
])('of the answers %j and %j, an empty list leaves the word to the other: %s', (token, userInfo, gives) => {
  const said = roleOfClaims([{ groups: token }, { groups: userInfo }], { claim: 'groups', roles })
  expect(said.kind === 'role' ? said.role : said.kind).toBe(gives)
})

test('an empty list leaves the word to the same claim in its other spelling, too', () => {
  const twice = { 'a.b': [], a: { b: ['helpdesk'] } }
  expect(kindOf(twice, 'a.b')).toBe('support')
  expect(findClaim([twice, { a: { b: ['everybody'] } }], 'a.b')).toEqual(['helpdesk'])
})

test('another answer may say that the claim must be asked for elsewhere, or that there are more groups', () => {
  const groups = { claim: 'groups', roles }
  const elsewhere = { _claim_names: { groups: 'src1' } }
  expect(roleOfClaims([{ groups: ['helpdesk'] }, elsewhere], groups)).toEqual({ kind: 'not-sent' })
  expect(roleOfClaims([{ groups: [] }, { hasgroups: true }], groups)).toEqual({ kind: 'not-sent' })
})
