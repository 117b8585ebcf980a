import { describe, expect, it } from 'vitest'
import { readFilters } from './read-filters.ts'
import {
  type FilterTexts,
  isFiltered,
  namesWith,
  noFilters,
  partsOf,
  stepOfReason,
  textPartsOf,
} from './transaction-filters.ts'

const now = Date.UTC(2026, 10, 22, 12)
const ana = '11111111-1111-4111-8111-111111111111'

it('reads what an address says', () => {
  const texts = {
    direction: 'fiatToCrypto',
    step: 'ON_HOLD',
    reason: 'ON_HOLD_KYC',
    currency: 'eur',
    chain: 'Polygon',
    min: '0100.50',
    max: '2000',
    from: '2026-11-20',
    to: '2026-11-21T09:30Z',
    user: ana.toUpperCase(),
    flags: 'conflict,stuck',
  }
  expect(readFilters(texts, now)).toEqual({
    match: {
      direction: 'fiatToCrypto',
      step: 'ON_HOLD',
      reason: 'ON_HOLD_KYC',
      currency: 'EUR',
      chain: 'polygon',
      amountFrom: '100.50',
      amountTo: '2000',
      startedFrom: Date.UTC(2026, 10, 20),
      startedTo: Date.UTC(2026, 10, 21, 9, 30),
      userUuid: ana,
      flags: ['stuck', 'conflict'],
    },
    wrong: [],
  })
})

it('reads the last hours or days from now on', () => {
  expect(readFilters({ since: '24h' }, now).match.startedFrom).toBe(now - 24 * 3_600_000)
  expect(readFilters({ since: '7d', from: '2026-11-21' }, now).match.startedFrom).toBe(Date.UTC(2026, 10, 21))
})

it('asks for nothing where nothing is given', () => {
  const { match, wrong } = readFilters(noFilters, now)
  expect(wrong).toEqual([])
  expect(isFiltered(match)).toBe(false)
})

describe('a filter that is none is named with what to do, and is no filter', () => {
  it.each<[FilterTexts, RegExp]>([
    [{ direction: 'sideways' }, /neither of fiatToCrypto and cryptoToFiat/],
    [{ step: '' }, /empty/],
    [{ reason: 'a\0b' }, /no text/],
    [{ chain: 'x'.repeat(101) }, /longer than 100/],
    [{ min: 'abc' }, /in digits/],
    [{ min: '-1' }, /in digits/],
    [{ min: '1,250.50' }, /1250\.50/],
    [{ max: '1e3' }, /in digits/],
    [{ max: '' }, /in digits/],
    [{ min: '10', max: '9.99' }, /less than the least amount, 10/],
    [{ since: '2h' }, /none of 1h, 24h, 7d, 30d/],
    [{ from: 'yesterday' }, /2026-11-20T09:30Z/],
    [{ from: '2026-02-30' }, /in UTC/],
    [{ from: '2026-11-20T25:00Z' }, /in UTC/],
    [{ to: '2026-11-20T09:30' }, /in UTC/],
    [{ from: '2026-11-20', to: '2026-11-20' }, /not after/],
    [{ user: 'ana@demo.test' }, /choose them/],
    [{ flags: 'stuck,odd' }, /some of stuck, conflict/],
    [{ flags: '' }, /some of/],
  ])('%j', (texts, why) => {
    const { match, wrong } = readFilters(texts, now)
    expect(wrong).toHaveLength(1)
    expect(wrong[0]?.why).toMatch(why)
    expect(Object.keys(texts)).toContain(wrong[0]?.name)
    if (Object.keys(texts).length === 1) expect(isFiltered(match)).toBe(false)
  })
})

it('drops one filter at a time: both ends of an amount together, each flag by itself', () => {
  const texts = { step: 'ON_HOLD', min: '1', max: '2', since: '7d', flags: 'stuck,late' }
  const dropped = textPartsOf(texts)
  expect(dropped.map(({ part }) => part)).toEqual(['step', 'amount', 'time', 'flags:stuck', 'flags:late'])
  expect(dropped[1]?.rest).toEqual({ ...texts, min: null, max: null })
  expect(dropped[3]?.rest).toEqual({ ...texts, flags: 'late' })
  const { match } = readFilters(texts, now)
  const fewer = partsOf(match)
  expect(fewer.map(({ part }) => part)).toEqual(dropped.map(({ part }) => part))
  for (const [index, { rest }] of fewer.entries())
    expect(partsOf(rest)).toEqual(partsOf(readFilters(dropped[index]?.rest ?? {}, now).match))
})

it.each([
  ['ON_HOLD_KYC', 'ON_HOLD'],
  ['ON_HOLD_OF_A_NEW_KIND', 'ON_HOLD'],
  ['PROCESS_FAILED', 'FAILED'],
  ['REFUNDED', 'REFUNDED'],
  ['OUTSIDE_TRANSFER_IN_REVIEW', null],
  ['something new', null],
])('%s belongs to the step %s', (reason, step) => {
  expect(stepOfReason(reason)).toBe(step)
})

it.each([
  ['max', ['min', 'max']],
  ['to', ['since', 'from', 'to']],
  ['step', ['step']],
  ['flags', ['flags']],
] as const)('%s is dropped together with its like', (name, names) => {
  expect(namesWith(name)).toEqual(names)
})
