import { expect, it } from 'vitest'
import { filtersInWords } from './filters-in-words.ts'

const now = Date.UTC(2026, 10, 22, 18, 30)
const choices = { reasons: ['ON_HOLD_KYC'], currencies: ['EUR', 'USDC'], chains: ['optimism', 'base'] }

it.each([
  ['on hold', { step: 'ON_HOLD' }],
  [' On  Hold! ', { step: 'ON_HOLD' }],
  ['ON_HOLD', { step: 'ON_HOLD' }],
  ['ON_HOLD_KYC', { reason: 'ON_HOLD_KYC' }],
  ['kyc', { reason: 'ON_HOLD_KYC' }],
  ['optimism', { chain: 'optimism' }],
  ['failed on Base', { step: 'FAILED', chain: 'base' }],
  ['Fiat transfer sent', { step: 'FIAT_TRANSFER_ISSUED' }],
  ['below minimum eur', { step: 'LIMIT_BREACHED', currency: 'EUR' }],
  ['stablecoin to fiat', { direction: 'cryptoToFiat' }],
  ['stuck', { flags: 'stuck' }],
  ['failed last 7 days', { step: 'FAILED', since: '7d' }],
  ['refunded yesterday', { step: 'REFUNDED', from: '2026-11-21T00:00Z', to: '2026-11-22T00:00Z' }],
  ['refunded 20 Nov', { step: 'REFUNDED', from: '2026-11-20T00:00Z', to: '2026-11-21T00:00Z' }],
  ['today', { from: '2026-11-22T00:00Z', to: '2026-11-23T00:00Z' }],
])('“%s” names the filters %j', (text, filters) => {
  expect(filtersInWords(text, choices, now)).toEqual(filters)
})

it.each(['', 'ana', 'holding', 'optimistic', '8bf1-4d8b-8c9d', '€255.86 20 Nov', 'based on nothing'])(
  '“%s” names no filter',
  (text) => {
    expect(filtersInWords(text, choices, now)).toBeNull()
  },
)
