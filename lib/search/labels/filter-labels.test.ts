import { expect, it } from 'vitest'
import { filterFileName, filterReasonLabel, rangeLabel } from './filter-labels.ts'

const now = Date.UTC(2026, 10, 22, 18, 30)

it.each([
  [{}, false, 'transactions-20261122T1830Z'],
  [
    { direction: 'fiatToCrypto', step: 'ON_HOLD', currency: 'EUR', flags: 'stuck,late' },
    false,
    'transactions-fiat-to-crypto-on-hold-eur-stuck-late-20261122T1830Z',
  ],
  [{ min: '10.50', max: '20' }, false, 'transactions-amount-10.50-to-20-20261122T1830Z'],
  [{ from: '2026-11-20T09:30Z' }, false, 'transactions-started-from-2026-11-20t09-30z-20261122T1830Z'],
  [
    { user: '11111111-1111-4111-8111-111111111111', since: '7d' },
    true,
    'transactions-found-one-person-last-7d-20261122T1830Z',
  ],
])('a file of %j is named by what it holds and when it was made', (texts, searched, name) => {
  expect(filterFileName(texts, searched, now)).toBe(name)
})

it('a name of a file holds nothing that leads out of its folder or out of its header', () => {
  const name = filterFileName({ reason: '../../etc\r\nx: "y"', chain: 'x'.repeat(300) }, false, now)
  expect(name).toMatch(/^transactions-[a-z0-9.-]+-20261122T1830Z$/)
  expect(name.length).toBeLessThan(150)
})

it('a reason is named without its step, and one that is not known as it came', () => {
  expect(filterReasonLabel('ON_HOLD_KYC')).toBe('KYC')
  expect(filterReasonLabel('ON_HOLD_PROCESS')).toBe('Processing')
  expect(filterReasonLabel('A_NEW_ONE')).toBe('A_NEW_ONE')
})

it.each([
  ['10', '20', '10 to 20'],
  ['10', null, 'from 10'],
  [null, '20', 'up to 20'],
])('a range from %j to %j', (from, to, label) => {
  expect(rangeLabel(from, to)).toBe(label)
})
