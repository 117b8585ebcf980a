import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { configure } from '../../../test/service.ts'
import { keepFor } from './keep-for.ts'

beforeAll(() => configure())
afterEach(() => void vi.useRealTimers())

it('reads each key once per interval, and again after it was forgotten', async () => {
  vi.useFakeTimers()
  const read = vi.fn(async (key: string) => key.toUpperCase())
  const kept = keepFor(1_000, read)
  expect([await kept.read('a'), await kept.read('a'), await kept.read('b')]).toEqual(['A', 'A', 'B'])
  expect(read).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(999)
  await kept.read('a')
  expect(read).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1)
  await kept.read('a')
  expect(read).toHaveBeenCalledTimes(3)
  kept.forget()
  await kept.read('a')
  expect(read).toHaveBeenCalledTimes(4)
})

it('repeats a failed read', async () => {
  const read = vi.fn(async () => 1).mockRejectedValueOnce(new Error('away'))
  const kept = keepFor(60_000, read)
  await expect(kept.read()).rejects.toThrow('away')
  expect(await kept.read()).toBe(1)
})

it('reads again for another database', async () => {
  const read = vi.fn(async () => 1)
  const kept = keepFor(60_000, read)
  await kept.read()
  globalThis.rampartPool = undefined
  await kept.read()
  expect(read).toHaveBeenCalledTimes(2)
})
