import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchSilence } from './watch-silence.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('a process is ended, again and again, while it is silent for longer than it may be', () => {
  const end = vi.fn()
  const watch = watchSilence(1_000, () => 4_000, end)
  vi.advanceTimersByTime(3_000)
  watch.hear()
  vi.advanceTimersByTime(4_000)
  expect([watch.silentMs(), end.mock.calls.length]).toEqual([4_000, 0])
  vi.advanceTimersByTime(2_000)
  expect(end).toHaveBeenCalledTimes(2)
  watch.stop()
  vi.advanceTimersByTime(2_000)
  expect(end).toHaveBeenCalledTimes(2)
})

test('the limit may change meanwhile', () => {
  const end = vi.fn()
  let limit = 60_000
  const watch = watchSilence(1_000, () => limit, end)
  vi.advanceTimersByTime(10_000)
  expect(end).not.toHaveBeenCalled()
  limit = 4_000
  vi.advanceTimersByTime(1_000)
  expect(end).toHaveBeenCalledOnce()
  watch.stop()
})

test('a process is left alone when it was this process that stood still', () => {
  const end = vi.fn()
  const watch = watchSilence(1_000, () => 4_000, end)
  vi.advanceTimersByTime(1_000)
  // Timers come late, once, and only then what was told meanwhile.
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 8_000)
  vi.advanceTimersByTime(1_000)
  expect(end).not.toHaveBeenCalled()
  expect(watch.silentMs()).toBe(0)
  clock.mockRestore()
  watch.stop()
})
