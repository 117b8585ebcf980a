import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

test.each(['/transactions', '/transactions?q=0fa3d7b5#events', '/endpoints/new', '/go/a%2Fb'])(
  'goes to %s of this site',
  (path) => expect(nextPath(path)).toBe(path),
)

test.each([
  undefined,
  null,
  '',
  'transactions',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/transactions\n',
  '/go/a\\b',
  '/.//evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  '/sign-in?next=/sign-in',
  '/sign-up',
  '/signed-in?next=/signed-in',
  '/set-up',
  '/api/auth/signout',
  `/${'x'.repeat(3_000)}`,
])('opens / and not %j', (path) => expect(nextPath(path)).toBe('/'))

test('never leads to another site, for any path', () => {
  const nasty = fc.string({ unit: fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', 'e', '?', '#', '%') })
  fc.assert(
    fc.property(nasty, (text) => {
      const here = 'https://dash.example.com'
      expect(new URL(nextPath(text), here).origin).toBe(here)
    }),
  )
})
