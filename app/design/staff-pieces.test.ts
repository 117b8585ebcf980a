import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WordsProvider } from '#components/browser/words.tsx'
import { directions, stepsOf } from '#lib/domain/delivery/steps.ts'
import { weakestState } from '#lib/domain/health/weakest-state.ts'
import { lookKinds } from '#lib/domain/overview/look-kinds.ts'
import { payoutLabels, receiptLabels } from '#lib/labels/payment-labels.ts'
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

const textOf = (piece: string) => {
  const children = staffPieces.find(({ name }) => name === piece)?.Shown()
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
