import { expect, test } from 'vitest'
import { deeperRoutes, routeOf } from '#lib/identity/sessions/denied-requests.ts'
import { filesOf } from '../test/every-role.ts'

/** Routes that ask for a session, as `routeOf` has them; `/api/x` and `/x` are answered as they are. */
const routes = [...filesOf('page.tsx'), ...filesOf('route.ts')].map(
  (file) =>
    `/${file
      .split('/')
      .slice(0, -1)
      .filter((part) => !part.startsWith('('))
      .map((part) => (part.startsWith('[') ? '…' : part))
      .join('/')}`,
)

test('what is denied is counted by the routes that there are', () => {
  for (const route of routes.filter((one) => !/^\/(go|api\/(auth|webhooks|single-sign-on))\//.test(one)))
    expect(routeOf(route), route).toBe(route)
  for (const route of deeperRoutes)
    expect(
      routes.some((one) => one === route || one.startsWith(`${route}/`)),
      route,
    ).toBe(true)
})

test('whoever asks for what there is not adds no place', () => {
  const asked = ['a', 'b', 'toString', '__proto__', 'x-'.repeat(10), 'export', 'new', '%2e']
  const places = asked.flatMap((one) =>
    routes.map((route) => routeOf(`${route.replaceAll('…', one)}?${one}`)),
  )
  const known = new Set(routes.map(routeOf))
  for (const place of places) expect(known).toContain(place)
})
