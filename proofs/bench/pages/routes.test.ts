import { expect, test } from 'vitest'
import { listRoutes, visitorOf } from './time-page.ts'

test('pages are found by their addresses, without the groups that their files stand in', () => {
  expect(listRoutes()).toEqual(expect.arrayContaining(['/', '/sign-in', '/transactions/[uuid]', '/account']))
  expect(listRoutes().join(' ')).not.toMatch(/[()]/)
})

test.each([
  ['/sign-in', 'nobody'],
  ['/account/transactions/[uuid]', 'ana@demo.test'],
  ['/accounts', 'admin@demo.test'],
])('%s is opened by %s', (route, visitor) => {
  expect(visitorOf(route)).toBe(visitor)
})
