import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { HistoryCard } from './history-card.tsx'

it('shows in words where an endpoint delivered before and after a change', () => {
  const change = {
    id: 'c-1',
    at: '2026-11-21T12:00:00.000Z',
    action: 'endpoint.change',
    outcome: 'done',
    changes: [{ name: 'deliversTo', before: 'https://merchant.example', after: 'this dashboard' }],
    by: null,
  } as const
  const children = createElement(HistoryCard, { changes: [change], states: [], earlier: false, audit: null })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain('Delivers to: https://merchant.example → this dashboard')
})
