import fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { guardOpening, openPage } from './open-page.ts'

test('a page opens unless what guards it keeps the open one', () => {
  const open = vi.fn()
  openPage('/accounts', open)
  expect(open).toHaveBeenCalledTimes(1)
  const guard = vi.fn(() => true)
  const end = guardOpening(guard)
  openPage('/accounts', open, false)
  expect(open).toHaveBeenCalledTimes(1)
  expect(guard).toHaveBeenCalledWith('/accounts', open, false)
  guard.mockReturnValue(false)
  openPage('/accounts', open)
  expect(open).toHaveBeenCalledTimes(2)
  end()
  openPage('/accounts', open)
  expect(open).toHaveBeenCalledTimes(3)
  expect(guard).toHaveBeenCalledTimes(2)
})

/** They go on with what the server has answered a moment before, or are on their way in or out. */
const afterAnAnswer = [
  'components/audit/audit-filter-form.tsx',
  'components/endpoints/create-endpoint-form.tsx',
  'components/endpoints/endpoint-action-buttons.tsx',
  'components/form/export-button.tsx',
  'components/replays/start-replay-form.tsx',
  'components/set-up/open-link.tsx',
  'components/set-up/ways-to-sign-in.tsx',
  'components/sign-in/open-after-sign-in.ts',
  'components/sign-in/single-sign-on-button.tsx',
  'components/users/add-person-form.tsx',
  'components/users/upload-people.tsx',
]

test('whatever opens a page without a link does so guarded', () => {
  const unguarded = fs.globSync('{app,components}/**/*.{ts,tsx}').filter((file) => {
    const source = fs.readFileSync(file, 'utf8')
    return (
      /router(\.push|\.replace|\[how\])\(|location\.(assign|replace)\(/.test(source) &&
      !/\b(openPage|guardOpening)\(/.test(source)
    )
  })
  expect(unguarded.toSorted()).toEqual(afterAnAnswer)
})
