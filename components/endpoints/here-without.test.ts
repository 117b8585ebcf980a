import { expect, test } from 'vitest'
import { endpointView } from '../../test/endpoint-view.ts'
import { hereWithout } from './missing-types.tsx'

const own = endpointView('own')
const there = endpointView('there', { ours: false })
const kyc = endpointView('kyc', { subscribedEvents: ['KYC'] })
const payments = endpointView('payments', { subscribedEvents: ['KYC', 'fiatToCrypto', 'cryptoToFiat'] })
const off = endpointView('off', { status: 'disabled' })

test.each([
  ['the last one here', own, [own, there, off], true, /^No other endpoint delivers to this dashboard/],
  ['one of several here', own, [own, endpointView('other')], false, /^Other endpoints go on delivering/],
  ['one that brings less than another', kyc, [kyc, payments], false, /^Other endpoints go on delivering/],
  [
    'the only one that brings transactions',
    payments,
    [payments, kyc, off],
    true,
    /No other endpoint delivers these event types here: Fiat to stablecoin, Stablecoin to fiat\.$/,
  ],
  ['one elsewhere', there, [own, there], false, /which loses nothing/],
  ['one elsewhere, whatever could be read', there, null, false, /which loses nothing/],
  ['one here while the others are not known', own, null, true, /could not be read. If none delivers here/],
] as const)('says what is left here without %s', (_which, one, all, grave, words) => {
  const without = hereWithout(one, all)
  expect(without.grave).toBe(grave)
  expect(without.sentence).toMatch(words)
})
