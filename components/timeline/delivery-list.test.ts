import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { clientMessages } from '#lib/words/sentences.ts'
import { DeliveryList, type ListedDelivery } from './event-facts.tsx'

const endpointUuid = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
function shown(given: Pick<ListedDelivery, 'endpointUuid' | 'endpointName'>): string {
  const delivery: ListedDelivery = {
    id: '3046967a-e17d-45b7-9cc9-a4c1b2ad1329',
    receivedAt: '2026-11-20T02:10:00.000Z',
    answer: 'sure',
    reason: { kind: 'first' },
    ...given,
  }
  const children = createElement(DeliveryList, { received: [delivery] })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
  )
}

it('names the endpoint that a delivery came through, and links to it', () => {
  const html = shown({ endpointUuid, endpointName: 'Payments' })
  expect(html).toMatch(new RegExp(`href="/endpoints/${endpointUuid}"[^>]*>Payments</a>`))
})

it('shows the id of an endpoint that was never seen, and nothing for an unknown one', () => {
  const html = shown({ endpointUuid, endpointName: null })
  expect(html).toContain(`title="${endpointUuid}"`)
  expect(html).not.toContain('href=')
  expect(shown({ endpointUuid: null, endpointName: null })).not.toContain('Endpoint')
})
