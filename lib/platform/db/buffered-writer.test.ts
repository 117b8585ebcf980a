import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openBufferedWriter } from './buffered-writer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what came within a moment is written together, and again later where that failed', async () => {
  const write = vi.fn<() => Promise<boolean>>().mockResolvedValue(true)
  const writer = openBufferedWriter(write, { after: 50, retryAfter: 1_000 })
  writer.request()
  writer.request()
  await vi.advanceTimersByTimeAsync(49)
  expect(write).toHaveBeenCalledTimes(0)
  write.mockResolvedValueOnce(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(write).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(999)
  expect(write).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(write).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(write).toHaveBeenCalledTimes(2)
})

test('closing waits for the write under way, writes once more, and tries no further', async () => {
  const slow = Promise.withResolvers<boolean>()
  const write = vi.fn<() => Promise<boolean>>().mockResolvedValue(false).mockReturnValueOnce(slow.promise)
  const writer = openBufferedWriter(write, { after: 50, retryAfter: 1_000 })
  writer.request()
  await vi.advanceTimersByTimeAsync(50)
  const closed = writer.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(write).toHaveBeenCalledTimes(1)
  slow.resolve(true)
  await closed
  expect(write).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(write).toHaveBeenCalledTimes(2)
})
