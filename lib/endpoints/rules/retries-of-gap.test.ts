import { expect, it } from 'vitest'
import { retriesOfGap } from './gap-periods.ts'

const hour = 3_600_000
const ended = 100 * hour

it('retries come for a while after a short gap', () => {
  const retries = retriesOfGap(ended - 60_000, ended, null)
  expect(retries).toEqual({ until: expect.any(Number) })
  expect(typeof retries === 'object' && retries.until).toBeGreaterThan(ended)
})

it('retries are given up in a gap of two days', () => {
  expect(retriesOfGap(ended - 48 * hour, ended, ended + 1)).toBe('given-up')
})

it('retries are cut off when the endpoint is disabled before the last of them', () => {
  const retries = retriesOfGap(ended - 60_000, ended, null)
  const until = typeof retries === 'object' ? retries.until : 0
  expect(retriesOfGap(ended - 60_000, ended, until - 1)).toBe('cut-off')
  expect(retriesOfGap(ended - 60_000, ended, until)).toEqual({ until })
})
