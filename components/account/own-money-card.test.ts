import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { customerWords } from '#lib/words/customer-words.ts'
import { OwnMoneyCard } from './own-money-card.tsx'

type OwnTransaction = Parameters<typeof OwnMoneyCard>[0]['transaction']

const shown = (given: Partial<OwnTransaction>) =>
  renderToStaticMarkup(
    createElement(OwnMoneyCard, {
      words: customerWords('en'),
      transaction: {
        subjectId: 'transaction:t-1',
        uuid: 't-1',
        direction: 'fiatToCrypto',
        step: 'PENDING',
        reason: null,
        amountFiat: '207.71',
        amountCrypto: null,
        amountRefunded: null,
        fees: null,
        limit: null,
        currencyFiat: 'EUR',
        currencyCrypto: 'usdc',
        chain: null,
        transactionHash: null,
        startedAt: '2026-02-01T10:00:00.000Z',
        finishedAt: null,
        durationSeconds: null,
        conflict: false,
        stuck: false,
        steps: [],
        ...given,
      },
    }),
  )
const refunded = (amountRefunded: string, step = 'REFUNDED') => shown({ amountRefunded, step })

it('names the currency of a refund where what came in goes back, as the reply and the staff page do', () => {
  expect(refunded('207.71')).toMatch(/Refunded.*€207\.71/)
  expect(refunded('200')).toMatch(/Refunded.*>200</)
})

it('says that something was refunded only where the step says so, since §6 lists the field for each', () => {
  expect(refunded('0', 'PENDING')).not.toContain('Refunded')
  expect(refunded('207.71', 'FAILED')).not.toContain('Refunded')
})

it('names the stablecoin of a minimum where it is known', () => {
  const breached = { direction: 'cryptoToFiat', step: 'LIMIT_BREACHED', limit: '1' } as const
  expect(shown(breached)).toMatch(/Minimum.*>1 USDC</)
  expect(shown({ ...breached, currencyCrypto: null })).toMatch(/Minimum.*>1</)
})
