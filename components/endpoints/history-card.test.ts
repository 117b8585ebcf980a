import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { HistoryCard } from './history-card.tsx'

type Change = Parameters<typeof HistoryCard>[0]['changes'][number]

function shown(given: Pick<Change, 'action' | 'outcome' | 'changes'>) {
  const change = { id: 'c-1', at: '2026-11-21T12:00:00.000Z', by: { name: 'Ada', reason: null }, ...given }
  const children = createElement(HistoryCard, { changes: [change], states: [], earlier: false, audit: null })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.replaceAll(/<[^>]+>/g, '')
}

it('shows in words where an endpoint delivered before and after a change', () => {
  const changes = [{ name: 'deliversTo', before: 'https://merchant.example', after: 'this dashboard' }]
  const html = shown({ action: 'endpoint.change', outcome: 'done', changes })
  expect(html).toContain('Delivers to: https://merchant.example → this dashboard')
})

it('shows that an endpoint was activated, and what was tried when that did not succeed', () => {
  const changes = [{ name: 'status', before: 'auto_disabled', after: 'active' }]
  const switched = (outcome: string) => shown({ action: 'endpoint.set-status', outcome, changes })
  expect(switched('done')).toMatch(/Activated by Ada$/)
  expect(switched('failed')).toContain('Switching an endpoint on or off · failed by Ada')
})
