import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PageStateIndicator } from '#components/operations/shell/page-state-indicator.tsx'
import { pageStateMeanings } from '#components/operations/shell/page-state-meanings.ts'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { Feed } from '#components/ui/live/live.tsx'
import { directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { attentionKinds } from '#lib/operations/rules/attention-kinds.ts'
import { weakestState } from '#lib/operations/rules/health.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { payoutLabels, receiptLabels } from '#lib/transactions/labels/payment-labels.ts'
import { inRouter } from '../../test/in-router.ts'
import { Amounts } from '../(staff)/transactions/[uuid]/amounts.tsx'
import { DeliveriesArriving } from '../(staff)/transactions/[uuid]/deliveries-arriving.tsx'
import { StepRail } from '../(staff)/transactions/[uuid]/step-rail.tsx'
import { items, pageStates, shownTransactions, staffPieces } from './staff-pieces.tsx'

const textOf = (piece: string) => shownText(staffPieces.find(({ name }) => name === piece)?.Shown())

function shownText(children: ReactNode) {
  const html = renderToStaticMarkup(
    inRouter(createElement(WordsProvider, { language: 'en', messages: {}, children })),
  )
  return html.replaceAll(/<[^>]+>/g, ' ')
}

test('the header is shown in each state that a page can be in', () => {
  for (const [kind, feed] of Object.entries(pageStates))
    expect(weakestState(feed.state, feed.status?.health ?? null).kind).toBe(kind)
  expect(textOf('State of a page, in its header')).toMatch(/Deliveries missing.*18.*open.*Up to date/s)
})

test.each(Object.entries(pageStates))(
  'deliveries are said to arrive as the header says it: %s',
  (_, feed) => {
    const shown = (piece: ReactNode) => shownText(createElement(Feed, { value: feed }, piece))
    const header = shown(createElement(PageStateIndicator, { meanings: pageStateMeanings }))
    const line = shown(createElement(DeliveriesArriving))
    expect(line).toBe(header.includes('Up to date') ? ', deliveries arriving' : '')
  },
)

test('amounts and rails are shown for each step, with all labels of amounts', () => {
  const shown = Object.values(shownTransactions).map(({ direction, step }) => `${direction} ${step}`)
  for (const direction of directions)
    for (const step of stepsOf[direction]) expect(shown).toContain(`${direction} ${step}`)
  const text = textOf('Amounts and the rail of steps')
  const words = [...Object.values(receiptLabels), ...Object.values(payoutLabels), 'Refunded', 'not known yet']
  for (const word of [...words, 'not yet', 'before ', 'BRAND_NEW']) expect(text).toContain(word)
})

const amountsOf = (name: string, more: Partial<TransactionDetailsView>) => {
  const shown = shownTransactions[name]
  if (!shown) throw new Error(`No transaction is shown as ${name}`)
  const html = renderToStaticMarkup(createElement(Amounts, { transaction: { ...shown, ...more } }))
  return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}

test('the duration between two steps is the difference of their shown times', () => {
  const shown = shownTransactions.Created
  const [event] = shown?.events ?? []
  if (!shown || !event) throw new Error('No transaction is shown as Created')
  const at = (id: string, firstReceivedAt: string) => ({ ...event, id, firstReceivedAt, placedBefore: null })
  const rail = (next: string) => {
    const events = [at('1', '2026-11-20T12:35:14.100Z'), at('2', next)]
    return shownText(createElement(StepRail, { transaction: { ...shown, events } }))
  }
  expect(rail('2026-11-20T12:35:35.900Z')).toMatch(/\+21\u00a0s/)
  expect(rail('2026-11-20T12:35:14.900Z')).toContain('1 s')
})

test('the rail has the steps of one direction, although the id stands for two', () => {
  const shown = shownTransactions.Finished
  const [event] = shownTransactions.Created?.events ?? []
  if (!shown || !event) throw new Error('No transaction is shown')
  const earlier = { ...event, id: 'other', type: 'cryptoToFiat', subType: 'LIMIT_BREACHED' }
  const text = (events: TransactionDetailsView['events']) =>
    shownText(createElement(StepRail, { transaction: { ...shown, direction: 'fiatToCrypto', events } }))
  expect(text([earlier, ...shown.events])).toBe(text(shown.events))
})

test('a refund is shown only when the step is one, since §6 lists the field for each', () => {
  expect(amountsOf('Created', { amountRefunded: '0' })).not.toContain('Refunded')
  expect(amountsOf('Failed', { amountRefunded: '1810' })).not.toContain('Refunded')
  expect(amountsOf('Failed', { amountRefunded: '1810' })).toMatch(/Refund reported .*1,810/)
  expect(amountsOf('Refunded', { amountRefunded: '0' })).toMatch(/Refund unconfirmed .*0/)
  expect(amountsOf('Refunded', { amountRefunded: '1810' })).toMatch(/Refunded .*1,810/)
  for (const name of ['Failed', 'Finished', 'Refunded'])
    expect(amountsOf(name, { amountRefunded: '9000' })).toMatch(/Refund .*9,000.* more than came in/)
})

test('a missing amount is expected only while the transaction may still move', () => {
  const none = { amountCrypto: null }
  expect(amountsOf('Created', none)).toContain('Payout pending not known yet')
  expect(amountsOf('On hold', none)).toContain('Payout pending not known yet')
  for (const ended of ['Failed', 'Refunded'])
    expect(amountsOf(ended, none)).toMatch(/Planned payout not provided/)
})

test('rows of each kind of attention item are shown, and the chart of no, one and all hours', () => {
  for (const kind of attentionKinds) for (const item of items[kind]) expect(item.kind).toBe(kind)
  expect(textOf('Rows of what needs attention').match(/Snooze…/g)).toHaveLength(attentionKinds.length)
  expect(textOf('Chart of 24 hours')).toMatch(/Nothing started.*Pending.*BRAND_NEW/s)
})
