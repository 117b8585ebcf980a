import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { NextAttempts, RequestsCard } from './requests-card.tsx'

function said(deliveries: number, givenUp: number, atLeast: boolean) {
  const retries = [{ at: '2026-11-21T12:00:00.000Z', deliveries }]
  const traffic = { hours: [], reasons: [], retries, givenUp, atLeast }
  const children = createElement(NextAttempts, { traffic })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.replaceAll(/<[^>]+>/g, '')
}

it('counts what comes again and what was given up', () => {
  expect(said(1, 1, false)).toMatch(/about [\d: ANov]+, by the .* One delivery had the seventh/)
  expect(said(3, 2, false)).toMatch(/\(3\), by the .* 2 deliveries had the seventh/)
})

it('says that the count is a minimum when only a part of the refused requests is listed', () => {
  expect(said(1, 1, true)).toMatch(/\(at least 1\), by the .* At least one delivery had the seventh/)
  expect(said(60, 1_200, true)).toMatch(
    /\(at least 60\), by the .* At least 1,200 deliveries had the seventh/,
  )
})

it('says of an endpoint without traffic that its busiest hour had none', () => {
  const hours = [{ at: '2026-11-21T12:00:00.000Z', taken: 0, refused: 0 }]
  const traffic = { hours, reasons: [], retries: [], givenUp: 0, atLeast: false }
  const page = { rows: [], next: null }
  const card = createElement(RequestsCard, { path: '/endpoints/e', filters: {}, page, traffic, active: true })
  const words = { language: 'en', messages: {}, children: card } as const
  const html = renderToStaticMarkup(createElement(WordsProvider, words))
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain('in 1 hours, busiest hour: 0')
})
