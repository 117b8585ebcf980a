import { expect, it } from 'vitest'
import { readFilters } from './read-filters.ts'

const id = '2046967a-85f9-4a5c-9d3e-0123456d1329'
const now = Date.UTC(2026, 10, 22)

it.each([
  [{ user: `${id.slice(0, 9)}\u200b${id.slice(9)}` }, { userUuid: id }],
  [{ user: `User ID${id}` }, { userUuid: id }],
  [{ user: id.replaceAll('-', '\u2013') }, { userUuid: id }],
  [{ currency: 'ｅｕｒ\u00ad' }, { currency: 'EUR' }],
  [{ step: '\u200bON_HOLD' }, { step: 'ON_HOLD' }],
  [{ min: '١٢٥٠٫٥٠' }, { amountFrom: '1250.50' }],
  [
    { min: '1250,50', max: '\u20602000' },
    { amountFrom: '1250.50', amountTo: '2000' },
  ],
  [{ from: '2026-11-20' }, { startedFrom: Date.UTC(2026, 10, 20) }],
])('reads a filter as it was pasted: %j', (texts, match) => {
  expect(readFilters(texts, now)).toMatchObject({ match, wrong: [] })
})

it.each([{ user: 'Ana' }, { min: '1,250' }, { max: '1.250,50' }])('says that %j is none', (texts) => {
  expect(readFilters(texts, now).wrong).toHaveLength(1)
})

it.each(['1.250', '12.500', '999.999'])('takes %s for no amount: it may mean thousands', (text) => {
  for (const currency of [null, 'EUR', 'jpy'])
    for (const name of ['min', 'max'])
      expect(readFilters({ [name]: text, currency }, now).wrong).toMatchObject([{ name, text }])
  for (const currency of ['usdc', 'ETH', 'NEWUSD', 'KWD'])
    expect(readFilters({ min: text, currency }, now)).toMatchObject({
      match: { amountFrom: text },
      wrong: [],
    })
})

it.each(['0.125', '1250.500', '1.25', '1.2500', '1250'])('takes %s for an amount in any currency', (text) => {
  expect(readFilters({ min: text, currency: 'EUR' }, now)).toMatchObject({
    match: { amountFrom: text },
    wrong: [],
  })
})

it('says how to write an amount whose point may separate thousands', () => {
  expect(readFilters({ min: '1.250' }, now).wrong).toMatchObject([
    { why: 'The point may separate thousands: write 1250 or 1.2500.' },
  ])
})
