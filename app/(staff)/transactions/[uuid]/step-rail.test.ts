import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { eventRefund } from '#lib/timeline/labels/event-facts.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { inRouter } from '../../../../test/in-router.ts'
import { stepFacts } from './step-rail.tsx'

const reported = (type: string, subType: string, data: object | null) => {
  const body = data && JSON.stringify({ type, subType, data })
  const event = { type, subType, body, flags: [] }
  const children = stepFacts(event, eventRefund(event))
  const html = renderToStaticMarkup(
    inRouter(
      createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
    ),
  )
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

it('shows for a step what its own event said, whatever later ones say', () => {
  const issued = { amountCrypto: 5, currencyCrypto: 'usdc', chain: 'polygon' }
  expect(reported('fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED', issued)).toBe('5 USDC')
  expect(
    reported('fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED', { ...issued, transactionHash: '0xab12' }),
  ).toMatch(/^5 USDC in transaction .*0xab12/)
  const sent = { amountFiat: 4.76, currencyFiat: 'eur' }
  expect(reported('cryptoToFiat', 'FIAT_TRANSFER_ISSUED', sent)).toBe('€4.76')
  expect(reported('cryptoToFiat', 'LIMIT_BREACHED', { ...issued, limit: 10 })).toBe(
    '5 USDC sent, the limit is 10 USDC',
  )
})

it('names the currency of a refund when money goes back', () => {
  const paid = { amountFiat: 4.76, currencyFiat: 'eur' }
  expect(reported('fiatToCrypto', 'REFUNDED', { ...paid, amountRefunded: 4.76 })).toBe(
    'Amount refunded €4.76',
  )
  expect(reported('fiatToCrypto', 'REFUNDED', { ...paid, amountRefunded: 4 })).toBe(
    'Amount refunded €4.00 of €4.76',
  )
})

it('shows nothing that an event did not give', () => {
  for (const step of ['CRYPTO_TRANSFER_ISSUED', 'REFUNDED', 'PENDING'])
    for (const data of [{}, null]) expect(reported('fiatToCrypto', step, data)).toBe('')
  expect(reported('cryptoToFiat', 'LIMIT_BREACHED', {})).toBe('An amount sent, the limit is –')
})
