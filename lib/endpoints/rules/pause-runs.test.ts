import { expect, it } from 'vitest'
import { latestPauseRun } from './gap-periods.ts'

/** Pauses of `seconds` each follow each other after `between` seconds. */
const pauses = (count: number, seconds: number, between: number, from = 0) =>
  Array.from({ length: count }, (_, n) => {
    const began = from + n * (seconds + between) * 1_000
    return { began, ended: began + seconds * 1_000 }
  })

it.each([
  { name: 'a loop of crashes with a single beat between them', given: pauses(20, 25, 5), ends: 595_000 },
  { name: 'short crashes that leave three quarters of the time', given: pauses(10, 10, 30), ends: 370_000 },
  { name: 'three of 20 s', given: pauses(3, 20, 60), ends: 180_000 },
])('is one gap: $name', ({ given, ends }) => {
  expect(latestPauseRun(given)).toEqual({ began: 0, ended: ends })
})

it.each([
  { name: 'nothing', given: [] },
  { name: 'one pause, however long', given: pauses(1, 300, 0) },
  { name: 'two quick restarts', given: pauses(2, 25, 60) },
  { name: 'pauses that leave most of the time', given: pauses(10, 10, 40) },
  { name: 'a deployment every hour', given: pauses(24, 25, 3_600) },
])('is no gap: $name', ({ given }) => {
  expect(latestPauseRun(given)).toBeNull()
})

it('only the latest run counts', () => {
  const [crashes, later] = [pauses(20, 25, 5), pauses(3, 20, 60, 4_000_000)]
  expect(latestPauseRun([...crashes, ...pauses(1, 5, 0, 4_000_000)])).toBeNull()
  expect(latestPauseRun([...crashes, ...later])).toEqual({ began: 4_000_000, ended: 4_180_000 })
})
