import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { ResultView } from '#lib/endpoints/replays/replays.ts'
import { ResultsTable } from './replay-results.tsx'

const result = (given: Partial<ResultView>): ResultView => ({
  order: '1',
  deliveryId: '0199c0de-0000-7000-8000-000000000001',
  receivedAt: '2026-02-01T00:30:00.000Z',
  type: 'KYC',
  subType: 'statusUpdate',
  transactionUuid: null,
  sentAt: '2026-02-01T00:31:00.000Z',
  status: 200,
  ms: 41,
  error: null,
  ...given,
})

const shown = (given: Partial<ResultView>) => {
  const children = createElement(ResultsTable, { rows: [result(given)], sent: true })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: { ui: { copyThis: 'Copy' } }, children }),
  )
}

it('shows in words what a delivery was about', () => {
  const step = shown({ type: 'fiatToCrypto', subType: 'CRYPTO_TRANSFER_ISSUED' })
  expect(step).toContain('Fiat to stablecoin · ')
  expect(step).not.toContain('CRYPTO_TRANSFER_ISSUED')
  expect(shown({})).toContain('>KYC<')
  expect(shown({ type: 'walletCreated', subType: 'WALLET_CREATED' })).toContain('>Wallet created · Created<')
})

it('shows a dash when no transaction is named', () => {
  expect(shown({})).toContain('>–<')
})
