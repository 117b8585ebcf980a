import fs from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { guardOpening, openMade, openPage } from './leave-guard.ts'

afterEach(() => vi.unstubAllGlobals())

test('a page opens unless the guard keeps the open one', () => {
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

test('the page after a form opens once the network is back, and not twice', () => {
  const browser = new EventTarget()
  const navigator = { onLine: false }
  vi.stubGlobal('window', browser)
  vi.stubGlobal('navigator', navigator)
  const location = { href: '/replays/new' }
  vi.stubGlobal('location', location)
  const open = vi.fn()
  const end = guardOpening(() => !navigator.onLine)
  // A reader who has opened another page meanwhile stays there.
  openMade('/replays/1', open)
  location.href = '/replays'
  browser.dispatchEvent(new Event('online'))
  expect(open).not.toHaveBeenCalled()
  openMade('/replays/1', open)
  expect(open).not.toHaveBeenCalled()
  navigator.onLine = true
  for (let n = 0; n < 2; n++) browser.dispatchEvent(new Event('online'))
  expect(open).toHaveBeenCalledTimes(1)
  // The guard opens the page itself when the server answers.
  let later: () => void = () => undefined
  guardOpening((_to, openNow) => {
    later = openNow
    return true
  })
  navigator.onLine = false
  location.href = '/replays/new'
  openMade('/replays/1', open)
  later()
  expect(open).toHaveBeenCalledTimes(2)
  browser.dispatchEvent(new Event('online'))
  later()
  expect(open).toHaveBeenCalledTimes(2)
  navigator.onLine = true
  open.mockClear()
  open()
  // The guard opens the page when only the server is away.
  end()
  const endOther = guardOpening(() => true)
  openMade('/replays/2', open)
  browser.dispatchEvent(new Event('online'))
  expect(open).toHaveBeenCalledTimes(1)
  endOther()
})

/** These files fetch a file, or open the sign-in or sign-out, where nothing guards. */
const inOrOut = [
  'components/identity/set-up/open-link.tsx',
  'components/identity/sign-in/go-on.tsx',
  'components/identity/sign-in/single-sign-on-button.tsx',
  'components/ui/form/export-button.tsx',
]

test('every page that opens without a link does so through the guard', () => {
  const unguarded = fs.globSync('{app,components}/**/*.{ts,tsx}').filter((file) => {
    const source = fs.readFileSync(file, 'utf8')
    return (
      /router(\.push|\.replace|\[how\])\(|location\.(assign|replace)\(/.test(source) &&
      !/\b(openPage|openMade|guardOpening)\(/.test(source)
    )
  })
  expect(unguarded.toSorted()).toEqual(inOrOut)
})
