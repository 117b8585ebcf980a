import { expect, test } from 'vitest'
import { deeperRoutes, routeOf } from '#lib/identity/sessions/denied-requests.ts'
import { filesOf } from '../test/every-role.ts'

/** These routes ask for a session, in the form of `routeOf`; `/api/x` and `/x` stay as they are. */
const routes = [...filesOf('page.tsx'), ...filesOf('route.ts')].map(
  (file) =>
    `/${file
      .split('/')
      .slice(0, -1)
      .filter((part) => !part.startsWith('('))
      .map((part) => (part.startsWith('[') ? '…' : part))
      .join('/')}`,
)

test('denied attempts are counted by existing routes', () => {
  for (const route of routes.filter((one) => !/^\/(go|api\/(auth|webhooks|single-sign-on))\//.test(one)))
    expect(routeOf(route), route).toBe(route)
  for (const route of deeperRoutes)
    expect(
      routes.some((one) => one === route || one.startsWith(`${route}/`)),
      route,
    ).toBe(true)
})

test('a request for a missing address adds no route', () => {
  const asked = ['a', 'b', 'toString', '__proto__', 'x-'.repeat(10), 'export', 'new', '%2e']
  const places = asked.flatMap((one) =>
    routes.map((route) => routeOf(`${route.replaceAll('…', one)}?${one}`)),
  )
  const known = new Set(routes.map(routeOf))
  for (const place of places) expect(known).toContain(place)
})
