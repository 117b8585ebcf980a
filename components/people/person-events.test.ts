import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { EventView } from '#lib/timeline/event-view.ts'
import { PersonEvents } from './person-profile.tsx'

it('calls a company a company when no event was received about it', () => {
  const events = { rows: [], older: null, newest: null }
  const html = (isCompany: boolean) =>
    renderToStaticMarkup(createElement(PersonEvents, { events, here: '/users/u', turned: false, isCompany }))
  expect(html(true)).toContain('about this company yet')
  expect(html(false)).toContain('about this person yet')
})

it('does not say of a later page without events that nothing was received', () => {
  const events = { rows: [], older: null, newest: null }
  const html = renderToStaticMarkup(createElement(PersonEvents, { events, here: '/users/u', turned: true }))
  expect(html).toContain('Nothing more here')
  expect(html).not.toContain('Nothing was received')
})

it('keeps a reader who turns the pages at the events', () => {
  const events = { rows: [], older: '7', newest: null }
  const html = renderToStaticMarkup(createElement(PersonEvents, { events, here: '/users/u', turned: true }))
  expect(html).toContain('<section id="timeline"')
  expect(html).toContain('href="/users/u?before=7#timeline"')
  expect(html).toContain('href="/users/u#timeline"')
})

const event = (id: string, given: Partial<EventView>): EventView => ({
  id,
  subjectId: 'entity:u',
  type: 'KYC',
  subType: 'statusUpdate',
  status: 'KYC_PENDING',
  entityUuid: 'u',
  firstReceivedAt: '2026-02-01T00:30:00.000Z',
  lastReceivedAt: '2026-02-01T00:30:00.000Z',
  placedBefore: null,
  cameAgainId: null,
  cameAgainAt: null,
  deliveries: 1,
  unreadable: null,
  flags: [],
  transactionUuid: null,
  userEmail: null,
  restricted: false,
  ...given,
})

it('names the transaction that an event is about, and not the raw state', () => {
  const transactionUuid = '4c192285-6e0d-4f0a-9a51-3d6f8c40d37a'
  const rows = [
    event('1', { type: 'cryptoToFiat', subType: 'SUCCESS', status: 'PROCESS_COMPLETED', transactionUuid }),
  ]
  const events = { rows, older: null, newest: null }
  const children = createElement(PersonEvents, { events, here: '/users/u', turned: false })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  expect(html).toContain('>4c192285…0d37a<')
  expect(html).not.toContain('PROCESS_COMPLETED')
})

it('marks the latest event of each type with several, on the newest page only', () => {
  const rows = [
    event('5', { status: 'SOFT_KYC_FAILED', flags: ['late'] }),
    event('4', { type: 'AML', status: 'PASSED' }),
    event('3', { status: 'KYC_APPROVED' }),
    event('2', { subjectId: 'entity:v', status: 'KYC_APPROVED' }),
    event('1', {}),
  ]
  const marked = (turned: boolean) => {
    const events = { rows, older: null, newest: null }
    const children = createElement(PersonEvents, { events, here: '/users/u', turned })
    const html = renderToStaticMarkup(
      createElement(WordsProvider, { language: 'en', messages: {}, children }),
    )
    return [...html.matchAll(/<li .*?<\/li>/gs)].flatMap(([line], at) =>
      line.includes('>latest<') ? [rows[at]?.id] : [],
    )
  }
  expect(marked(false)).toEqual(['3'])
  // An older page does not know what was received since.
  expect(marked(true)).toEqual([])
})
