import { afterEach, expect, test, vi } from 'vitest'
import { isLocked, onUnlocked, setLockAt } from './session.ts'

afterEach(() => setLockAt(Number.POSITIVE_INFINITY))

test('a page whose time was over is unlocked when the session goes on, because another tab was used', () => {
  const then = vi.fn()
  const stop = onUnlocked(then)
  setLockAt(Date.now() + 60_000)
  setLockAt(Date.now())
  expect(isLocked()).toBe(true)
  expect(then).not.toHaveBeenCalled()
  setLockAt(Date.now() + 60_000)
  expect(isLocked()).toBe(false)
  expect(then).toHaveBeenCalledTimes(1)
  setLockAt(Date.now() + 90_000)
  expect(then).toHaveBeenCalledTimes(1)
  stop()
})
