import { expect, it } from 'vitest'
import { directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { isRefundDoubted, mayHideRefund, type RefundFacts, refundOf } from './refund.ts'

const bought: RefundFacts = {
  direction: 'fiatToCrypto',
  step: 'REFUNDED',
  amountFiat: '100.00',
  currencyFiat: 'EUR',
  amountCrypto: '108',
  currencyCrypto: 'USDC',
  amountRefunded: null,
  flags: [],
}
const sold: RefundFacts = { ...bought, direction: 'cryptoToFiat' }

it.each<[string, RefundFacts, object | null]>([
  ['none is named', bought, null],
  ['all went back', { ...bought, amountRefunded: '100' }, { kind: 'whole', currency: 'EUR', of: null }],
  ['all of the coins', { ...sold, amountRefunded: '108.0' }, { kind: 'whole', currency: 'USDC', of: null }],
  ['a part', { ...bought, amountRefunded: '97.50' }, { kind: 'part', currency: 'EUR', of: '100.00' }],
  ['a part of the coins', { ...sold, amountRefunded: '1e2' }, { kind: 'part', currency: 'USDC', of: '108' }],
  ['0', { ...bought, amountRefunded: '0' }, { kind: 'doubted', currency: null }],
  ['0.00', { ...sold, amountRefunded: '0.00' }, { kind: 'doubted', currency: null }],
  ['less than 0', { ...bought, amountRefunded: '-5' }, { kind: 'doubted', currency: null }],
  ['more than came in', { ...bought, amountRefunded: '120' }, { kind: 'doubted', currency: null }],
  ['as many as coins were bought', { ...bought, amountRefunded: '108' }, { kind: 'doubted', currency: null }],
  [
    'what came in is not known',
    { ...bought, amountFiat: null, amountRefunded: '5' },
    { kind: 'whole', currency: null },
  ],
  ['no direction', { ...bought, direction: null, amountRefunded: '5' }, { kind: 'whole', currency: null }],
  [
    'a failure names it',
    { ...bought, step: 'FAILED', amountRefunded: '100' },
    { kind: 'reported', currency: 'EUR', of: null },
  ],
  [
    'any step names a part',
    { ...bought, step: 'SUCCESS', amountRefunded: '3' },
    { kind: 'reported', currency: 'EUR', of: '100.00' },
  ],
  ['a failure says 0', { ...bought, step: 'FAILED', amountRefunded: '0.0' }, null],
  ['digits that are no number', { ...bought, amountRefunded: '1,5' }, null],
])('of a refund where %s', (_what, facts, refund) => {
  if (refund === null) expect(refundOf(facts)).toBeNull()
  else expect(refundOf(facts)).toMatchObject(refund)
  expect(isRefundDoubted(facts.step, refundOf(facts), [])).toBe(
    refund !== null && 'kind' in refund && refund.kind === 'doubted',
  )
})

const unread = { flags: ['amount-not-readable'] }
const uncounted = { amountFiat: null, amountCrypto: null }

it.each<[amountRefunded: string | null, more: Partial<RefundFacts>, doubt: string | null, mayHide: boolean]>([
  ['-5', {}, 'none', false],
  ['97.5', {}, null, false],
  ['100', {}, null, false],
  ['120', {}, 'more', false],
  ['120', unread, 'more', false],
  ['97.5', unread, null, false],
  ['97.5', uncounted, null, false],
  ['97.5', { ...uncounted, ...unread }, 'unclear', false],
  [null, unread, null, true],
  ['97,50', unread, null, true],
])('a refund of %s with %j has at every step the same doubt: %s', (amountRefunded, more, doubt, mayHide) => {
  for (const direction of directions)
    for (const step of [...stepsOf[direction], 'NEW_STEP', null]) {
      const facts = { ...bought, amountCrypto: '100', ...more, direction, step, amountRefunded }
      const refund = refundOf(facts)
      expect(refund?.doubt ?? null, String(step)).toBe(doubt)
      expect(mayHideRefund(refund, facts.flags), String(step)).toBe(mayHide)
      expect(isRefundDoubted(step, refund, facts.flags), String(step)).toBe(
        step === 'REFUNDED' && (mayHide || doubt !== null),
      )
    }
})
