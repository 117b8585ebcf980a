import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { Feed } from '#components/ui/live/live.tsx'
import { LiveFeed } from '#components/ui/live/live-feed.ts'
import type { Health } from '#lib/operations/rules/health.ts'
import type { Absence } from '#lib/search/found.ts'
import { NothingFound } from './nothing-found.tsx'

const gap = { id: 'g-1', beganAt: '2026-11-20T02:10:00.000Z', endedAt: null }

function shown(given: Partial<Absence>): string {
  const absence: Absence = {
    service: 'service.test',
    sandbox: false,
    since: null,
    oldest: null,
    missingTypes: null,
    gaps: [],
    openGaps: 0,
    ...given,
  }
  const children = createElement(NothingFound, { title: 'Nothing', sandboxUrl: null, absence })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.replaceAll(/<[^>]+>/g, '')
}

it('a gap that another endpoint covers is described as one endpoint that may have missed deliveries', () => {
  const withGap = (covered: boolean) => shown({ gaps: [{ ...gap, covered }], openGaps: 1 })
  expect(withGap(false)).toMatch(/Deliveries may be missing since /)
  expect(withGap(true)).toMatch(/One endpoint may have missed deliveries since /)
  expect(withGap(true)).not.toContain('may be missing')
})

const since = { at: '2026-11-20T02:10:00.000Z' }
const oldest = '2026-11-13T02:10:00.000Z'
it.each<[string, Partial<Absence>, RegExp]>([
  ['nothing ever came', {}, /No endpoint has pointed here yet/],
  [
    'all was imported',
    { oldest },
    /No endpoint has pointed here yet\. Events were imported back to .*13 Nov/,
  ],
  ['it listened', { since }, /Events arrive here since 20 Nov[^.]*\. Older ones are missing/],
  ['some was imported', { since, oldest }, /since 20 Nov[^.]*\. Older ones were imported back to 13 Nov/],
  ['nobody knows since when', { since: 'unknown' }, /It is not known since when events arrive here/],
  [
    'nobody knows since when, and events came',
    { since: 'unknown', oldest },
    /It is not known since when events arrive here\. The oldest is from 13 Nov/,
  ],
])('says since when the installation has received events when %s', (_where, given, words) => {
  expect(shown(given)).toMatch(words)
})

const health: Health = {
  unreadSince: null,
  lastDeliveryAt: null,
  receiving: null,
  behindSince: null,
  gap: null,
  service: null,
  unwatchedSince: null,
}

it.each([
  ['a role that sees the health of endpoints', health, true],
  ['another role', null, false],
])('knows whether %s is led to the endpoints', (_who, health, isLed) => {
  const counts = { held: 0, people: 0, accounts: 0, companies: 0, gaps: 0, endpoints: 0, alerts: 0 }
  const start = { url: '', name: '', position: null, status: { at: 0, health, counts } }
  const found = createElement(NothingFound, { title: 'Nothing', sandboxUrl: null })
  const children = createElement(Feed, { value: new LiveFeed(start, () => undefined) }, found)
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  expect(html.includes('href="/endpoints"')).toBe(isLed)
})
