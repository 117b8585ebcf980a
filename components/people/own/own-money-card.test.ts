import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { type Language, languages } from '#lib/platform/rules/language.ts'
import { formatMoney } from '#lib/words/labels/money.ts'
import { clientMessages, customerWords } from '#lib/words/sentences.ts'
import { OwnMoneyCard } from './own-money-card.tsx'

type OwnTransaction = Parameters<typeof OwnMoneyCard>[0]['transaction']

const shown = (given: Partial<OwnTransaction>, language: Language = 'en') => {
  const card = createElement(OwnMoneyCard, {
    words: customerWords(language),
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
      turn: null,
      steps: [],
      customer: { name: null, email: null },
      parties: { walletAddress: null, sendingAddress: null },
      ...given,
    },
  })
  const spoken = { language, messages: clientMessages(language, ['ui']), children: card }
  return renderToStaticMarkup(createElement(WordsProvider, spoken))
}
const refunded = (amountRefunded: string, step = 'REFUNDED') => shown({ amountRefunded, step })

it('names the currency of a refund when money goes back, as the reply and the staff page do', () => {
  expect(refunded('207.71')).toMatch(/Refunded.*€207\.71/)
  expect(refunded('200')).toMatch(/Refunded.*€200\.00 of €207\.71/)
  expect(shown({ amountRefunded: '200', step: 'REFUNDED', amountFiat: null })).toMatch(
    /Refunded.*>200 \(currency not given\)</,
  )
})

it('shows a refund only when the step is one, since §6 lists the field for each', () => {
  expect(refunded('0', 'PENDING')).not.toContain('Refunded')
  expect(refunded('207.71', 'FAILED')).not.toContain('Refunded')
  expect(refunded('207.71', 'FAILED')).toMatch(/Refund reported.*€207\.71/)
  for (const doubted of ['0', '300']) expect(refunded(doubted)).not.toContain('Refunded')
})

it('names the stablecoin of a minimum when it is known', () => {
  const breached = { direction: 'cryptoToFiat', step: 'LIMIT_BREACHED', limit: '1' } as const
  expect(shown(breached)).toMatch(/Minimum.*>1 USDC</)
  expect(shown({ ...breached, currencyCrypto: null })).toMatch(/Minimum.*>1 \(currency not given\)</)
})

it.each(languages)('says in %s that nobody gave the currency of the fees', (language) => {
  const words = customerWords(language)
  const html = shown({ fees: '0.0319' }, language)
  expect(html).toContain(words('amounts.fees'))
  expect(html).toContain(words('amounts.noCurrency', { amount: formatMoney('0.0319', null, language) }))
  expect(html).not.toMatch(/0[.,]0319\s*[€£$]|[€£$]\s*0[.,]0319|0[.,]0319\s*<\//)
})

const done = {
  step: 'SUCCESS',
  amountFiat: '100',
  amountCrypto: '105.04',
  steps: [{ id: '1', step: 'SUCCESS', reason: null, at: '2026-02-01T10:00:00.000Z', before: false }],
} as const

it('shows the rate of an exchange, but not before the exchange', () => {
  expect(shown(done)).toMatch(/Rate.*1 EUR = 1\.0504 USDC/)
  expect(shown({ ...done, direction: 'cryptoToFiat' })).toMatch(/Rate.*1 USDC = 0\.95202 EUR/)
  expect(shown({ ...done, step: 'PENDING', steps: [] })).not.toContain('Rate')
  expect(shown({ ...done, amountFiat: null })).not.toContain('Rate')
})

it('has the whole hash and the whole wallets on paper', () => {
  const [hash, wallet] = [`0x${'c228'.repeat(16)}`, `0x${'26d0'.repeat(10)}`]
  const html = shown({
    ...done,
    transactionHash: hash,
    parties: { walletAddress: wallet, sendingAddress: null },
  })
  const onPaper = html.replaceAll(/<[^>]+>/g, '')
  expect(onPaper).toContain(hash)
  expect(onPaper).toContain(wallet)
  expect(html).toContain('Receiving wallet')
  expect(html).not.toContain('Sending wallet')
})
