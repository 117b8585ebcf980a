import { expect, it } from 'vitest'
import { type Attempt, forecastRetries, retryDelaySeconds, retrySpan, retryWaits } from './retry-schedule.ts'

const second = 1000
const begin = Date.UTC(2026, 10, 21, 12)
const at = (seconds: number) => begin + seconds * second
const refused = (seconds: number): Attempt => ({ at: at(seconds), taken: false })
const taken = (seconds: number): Attempt => ({ at: at(seconds), taken: true })

/** The attempts of one delivery come at these seconds after the first. */
const attempts = [0, ...retryWaits.map((_, index) => retryWaits.slice(0, index + 1).reduce((a, b) => a + b))]

it('expects nothing when nothing was refused', () => {
  expect(forecastRetries([taken(0), taken(5)], at(10))).toEqual({ expected: [], givenUp: 0 })
})

it.each(attempts.slice(0, 6).map((last, index) => [index + 1, last, attempts[index + 1] ?? 0]))(
  'after attempt %i expects the next by the schedule',
  (made, last, next) => {
    const { expected } = forecastRetries(attempts.slice(0, made).map(refused), at(last + 1))
    expect(expected).toEqual([{ at: at(next), deliveries: 1 }])
  },
)

it('expects nothing after the seventh attempt, and counts the delivery as given up', () => {
  expect(forecastRetries(attempts.map(refused), at((attempts[6] ?? 0) + 1))).toEqual({
    expected: [],
    givenUp: 1,
  })
})

it('expects no retry of a delivery that was accepted at its retry', () => {
  expect(forecastRetries([refused(0), refused(3), taken(69)], at(100))).toEqual({ expected: [], givenUp: 0 })
})

it('groups the retries of one minute, and lists later ones separately', () => {
  const { expected } = forecastRetries([refused(0), refused(0.5)], at(1))
  expect(expected).toEqual([{ at: at(3), deliveries: 2 }])
  const both = forecastRetries([refused(0), refused(3), refused(60), refused(63)], at(64))
  expect(both.expected).toEqual([
    { at: at(69), deliveries: 1 },
    { at: at(129), deliveries: 1 },
  ])
})

it('does not expect a retry any more after its time has passed', () => {
  expect(forecastRetries([refused(0)], at(39)).expected).toEqual([])
})

it.each<[string, Attempt[], number, number]>([
  ['the one that is due closest to it', [refused(0), refused(0.9), taken(3.8)], 3.85, 3.85],
  ['the earlier of two that are due as close', [refused(0), refused(0.9), taken(3.45)], 3.5, 3.9],
  [
    'the one that is due, not the one that may come already',
    [refused(0), refused(0.9), taken(3.1)],
    3.2,
    3.9,
  ],
])('counts a request as the retry of %s', (_, attempts, now, left) => {
  expect(forecastRetries(attempts, at(now)).expected).toEqual([{ at: at(left), deliveries: 1 }])
})

it('counts a request as a first attempt when no retry can come so early, or so late', () => {
  const { earliest, latest } = retrySpan(1, 1)
  const deliveries = (seconds: number, now: number) =>
    forecastRetries([refused(0), refused(seconds)], at(now)).expected.map((one) => one.deliveries)
  expect(deliveries(earliest - 0.001, 1)).toEqual([2])
  expect(deliveries(earliest, 1)).toEqual([1])
  expect(deliveries(latest, latest)).toEqual([1])
  expect(forecastRetries([refused(0), refused(latest)], at(latest)).expected).toEqual([
    { at: at(latest) + retryDelaySeconds(2) * second, deliveries: 1 },
  ])
  expect(forecastRetries([refused(0), refused(latest + 0.001)], at(latest + 1)).expected).toEqual([
    { at: at(latest + 0.001) + retryDelaySeconds(1) * second, deliveries: 1 },
  ])
})

it('expects a retry until the last moment at which it may come', () => {
  const { latest } = retrySpan(1, 1)
  expect(forecastRetries([refused(0)], at(latest)).expected).toEqual([{ at: at(latest), deliveries: 1 }])
  expect(forecastRetries([refused(0)], at(latest) + 1).expected).toEqual([])
})

it('lists the next retry first, in whatever order the deliveries were refused', () => {
  expect(forecastRetries([refused(0), refused(3), refused(50)], at(51)).expected).toEqual([
    { at: at(53), deliveries: 2 },
  ])
})
