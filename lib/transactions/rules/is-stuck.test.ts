import { expect, test } from 'vitest'
import { isStuck, type Like, leastStuckMs, stuckAfterMs, toUsualStays } from './is-stuck.ts'

const minute = 60_000
const hour = 60 * minute
const at = { direction: 'cryptoToFiat', step: 'FIAT_TRANSFER_ISSUED' }
const usual = toUsualStays([
  { ...at, currencyFiat: null, chain: null, ms: 5 * hour },
  { ...at, currencyFiat: 'EUR', chain: null, ms: 2 * hour },
  { ...at, currencyFiat: 'EUR', chain: 'polygon', ms: minute },
])
const like = (given: Partial<Like>): Like => ({ ...at, currencyFiat: null, chain: null, ...given })

test.each([
  ['its currency on its chain, at least 15 minutes', { currencyFiat: 'EUR', chain: 'polygon' }, leastStuckMs],
  ['its currency, on a chain that too few took', { currencyFiat: 'EUR', chain: 'base' }, 2 * hour],
  ['its currency, while its chain is not known', { currencyFiat: 'EUR' }, 2 * hour],
  ['its step, in a currency that too few took', { currencyFiat: 'GBP', chain: 'polygon' }, 5 * hour],
  ['nothing that is known yet', { step: 'PENDING' }, leastStuckMs],
])('a transaction is measured by those of %s', (_, given, ms) => {
  expect(stuckAfterMs(usual, like(given))).toBe(ms)
  expect(isStuck(like(given), 0, ms, usual)).toBe(false)
  expect(isStuck(like(given), 0, ms + 1, usual)).toBe(true)
})

test.each(['ON_HOLD', 'SUCCESS', 'FAILED', 'LIMIT_BREACHED', 'REFUNDED', 'A_NEW_STEP', null])(
  'nothing is stuck at %s, which nothing need follow',
  (step) => {
    expect(isStuck(like({ step }), 0, 1_000 * hour, usual)).toBe(false)
  },
)
