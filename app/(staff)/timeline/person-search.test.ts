import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { inRouter } from '../../../test/in-router.ts'
import { SubjectHeading } from './[subject]/subject-heading.tsx'
import { EventDetails } from './event-details.tsx'

const at = '2026-02-01T00:33:58.000Z'
const id = '0f6fb6a3-5f5c-4a4b-9d4c-2b3f6c7d8e9f'

const eventOf = (userEmail: string): EventDetailsView => ({
  id: '1',
  subjectId: `entity:${id}`,
  type: 'kyc',
  subType: 'APPROVED',
  status: null,
  entityUuid: id,
  firstReceivedAt: at,
  lastReceivedAt: at,
  placedBefore: null,
  cameAgainId: null,
  cameAgainAt: null,
  deliveries: 1,
  unreadable: null,
  flags: [],
  transactionUuid: null,
  userEmail,
  restricted: false,
  position: 0,
  rank: 1,
  body: null,
  wholeBody: 'plain',
  bodyLeft: null,
  received: [],
})

function html(shown: ReactNode): string {
  const words = { language: 'en', messages: clientMessages('en', ['ui', 'form']), children: shown } as const
  const routed = inRouter(createElement(WordsProvider, words))
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, routed))
}

const shownOf = (event: EventDetailsView) => ({
  heading: html(
    createElement(SubjectHeading, { subject: { kind: 'entity', id }, account: null, events: [event] }),
  ),
  details: html(createElement(EventDetails, { event, details: event, mayReplay: false })),
})

it('an e-mail address links to its search', () => {
  const { heading, details } = shownOf(eventOf('ana@demo.test'))
  for (const shown of [heading, details])
    expect(shown).toMatch(/<a href="\/transactions#ana%40demo\.test"[^>]*>ana@demo\.test<\/a>/)
})

it('a masked address is no link', () => {
  const { heading, details } = shownOf(eventOf('a•••@demo.test'))
  for (const shown of [heading, details]) {
    expect(shown).toContain('a•••@demo.test')
    expect(shown).not.toContain('/transactions#')
  }
})
