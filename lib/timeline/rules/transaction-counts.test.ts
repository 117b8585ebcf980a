import { expect, it } from 'vitest'
import { type CountedRow, changesOfCounts } from './transaction-counts.ts'

const now = Date.UTC(2026, 10, 29)
const pending: CountedRow = {
  direction: 'fiatToCrypto',
  step: 'PENDING',
  currency_fiat: 'fil',
  amount_fiat: '12.50',
  details: {},
  started_at: '2026-11-28T10:20:00.000Z',
  finished_at: null,
}
const done: CountedRow = {
  ...pending,
  step: 'SUCCESS',
  details: { durationSeconds: 60 },
  finished_at: '2026-11-28T10:50:00.000Z',
}

const summaries = (before: CountedRow[], after: CountedRow[]) =>
  changesOfCounts(before, after, now).map(
    ({ at, sort, step, currency, count, amount }) => `${count} ${sort} ${at} ${step} ${currency} ${amount}`,
  )

it('counts a transaction that began, and moves its counts when it finishes', () => {
  expect(summaries([], [pending])).toEqual([
    '1 current 1970-01-01T00:00:00.000Z PENDING  0',
    '1 started 2026-11-28T10:15:00.000Z PENDING  0',
    '1 open 1970-01-01T00:00:00.000Z PENDING  0',
  ])
  expect(summaries([pending], [done])).toEqual([
    '-1 current 1970-01-01T00:00:00.000Z PENDING  0',
    '-1 started 2026-11-28T10:15:00.000Z PENDING  0',
    '-1 open 1970-01-01T00:00:00.000Z PENDING  0',
    '1 current 1970-01-01T00:00:00.000Z SUCCESS  0',
    '1 started 2026-11-28T10:15:00.000Z SUCCESS  0',
    '1 finished 2026-11-28T10:45:00.000Z SUCCESS FIL 12.50',
    '1 pace 2026-11-28T10:00:00.000Z   0',
  ])
})

it('changes nothing when nothing that is counted changes', () => {
  expect(summaries([pending, done], [done, { ...pending, amount_fiat: '13' }])).toEqual([])
})

it('counts when a transaction had ended before its last outcome', () => {
  const refunded = { ...done, step: 'REFUNDED', details: { endedAt: '2026-11-27T09:59:00.000Z' } }
  expect(summaries([], [refunded]).slice(2)).toEqual([
    '1 ended-again 2026-11-28T10:45:00.000Z   0',
    '1 ended 2026-11-27T09:45:00.000Z   0',
    '1 finished 2026-11-28T10:45:00.000Z REFUNDED FIL 0',
  ])
  const longAgo = { ...refunded, details: { endedAt: '2026-10-01T00:00:00.000Z' } }
  expect(summaries([refunded], [longAgo])).toEqual(['-1 ended 2026-11-27T09:45:00.000Z   0'])
})

it('counts nothing of long ago but that it is there', () => {
  const old = { ...done, started_at: '2026-10-01T00:00:00.000Z', finished_at: '2026-10-01T00:01:00.000Z' }
  expect(summaries([], [old])).toEqual(['1 current 1970-01-01T00:00:00.000Z SUCCESS  0'])
})

it('counts by a currency of whole characters, however long it is', () => {
  const long = { ...done, currency_fiat: `${'X'.repeat(19)}🦊` }
  const currencies = changesOfCounts([], [long], now).map(({ currency }) => currency)
  expect(currencies).toContain(`${'X'.repeat(19)}\ufffd`)
  expect(currencies.every((one) => one.isWellFormed())).toBe(true)
})
