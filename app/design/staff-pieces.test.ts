import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WordsProvider } from '#components/browser/words.tsx'
import { Feed } from '#components/live/live.tsx'
import { PageStateIndicator } from '#components/shell/page-state-indicator.tsx'
import { directions, stepsOf } from '#lib/domain/delivery/steps.ts'
import { weakestState } from '#lib/domain/health/weakest-state.ts'
import { lookKinds } from '#lib/domain/overview/look-kinds.ts'
import { payoutLabels, receiptLabels } from '#lib/labels/payment-labels.ts'
import { DeliveriesArriving } from '../(staff)/transactions/[uuid]/deliveries-arriving.tsx'
import { looks, pageStates, shownTransactions, staffPieces } from './staff-pieces.tsx'

const nowhere = () => undefined
const router = {
  back: nowhere,
  forward: nowhere,
  refresh: nowhere,
  push: nowhere,
  replace: nowhere,
  prefetch: nowhere,
  bfcacheId: '',
}

const textOf = (piece: string) => shownText(staffPieces.find(({ name }) => name === piece)?.Shown())

function shownText(children: ReactNode) {
  const html = renderToStaticMarkup(
    createElement(
      AppRouterContext,
      { value: router },
      createElement(WordsProvider, { language: 'en', messages: {}, children }),
    ),
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
    const [header = '', line] = [PageStateIndicator, DeliveriesArriving].map((Piece) =>
      shownText(createElement(Feed, { value: feed }, createElement(Piece))),
    )
    expect(line).toBe(header.includes('Up to date') ? ', deliveries arriving' : '')
  },
)

test('amounts and rails are shown of each step, in all words that amounts have', () => {
  const shown = Object.values(shownTransactions).map(({ direction, step }) => `${direction} ${step}`)
  for (const direction of directions)
    for (const step of stepsOf[direction]) expect(shown).toContain(`${direction} ${step}`)
  const text = textOf('Amounts and the rail of steps')
  const words = [...Object.values(receiptLabels), ...Object.values(payoutLabels), 'Returned', 'not given yet']
  for (const word of [...words, 'not yet', 'before ', 'BRAND_NEW']) expect(text).toContain(word)
})

test('rows of each kind of look are shown, and the chart of nothing, of one and of all', () => {
  for (const kind of lookKinds) for (const look of looks[kind]) expect(look.kind).toBe(kind)
  expect(textOf('Rows of what needs a look').match(/Mute…/g)).toHaveLength(lookKinds.length)
  expect(textOf('Chart of 24 hours')).toMatch(/Nothing began.*Pending.*BRAND_NEW/s)
})
