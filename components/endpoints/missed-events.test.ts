import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { Missed } from '#lib/endpoints/replays/new-replay.ts'
import type { ReplayState } from '#lib/endpoints/replays/replays.ts'
import { missedAlerts, missedSoFar } from './missed-events.tsx'

const off = { from: '2026-11-20T14:00:00.000Z', until: '2026-11-20T15:00:00.000Z' }

const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))

function shown(given: Partial<Missed>) {
  const missed = { filter: {}, count: 3, tooMany: false, sent: null, ...given }
  const [alert] = missedAlerts([{ endpointUuid: 'e-1', off, missed }])
  if (!alert) throw new Error('nothing is said')
  const slot = createElement(AlertSlot, { alerts: [alert] })
  const html = rendered(slot)
  const offer = html.includes('/replays/new?')
  return { kind: alert.kind, offer, text: html.replaceAll(/<[^>]+>/g, '') }
}

const sent = (count: number, state: ReplayState, failed = 0) => ({
  sent: { count, replay: { id: 'r-1', state, failed } },
})

it('is green only when all of it was accepted', () => {
  const all = shown(sent(3, 'done'))
  expect(all).toMatchObject({ kind: 'success', offer: false })
  expect(all.text).toMatch(/What it missed from .* to .* was sent again\./)
})

it.each([
  ['nothing was tried', {}, 'are stored. Earlier failures'],
  [
    'some failed',
    sent(2, 'done', 1),
    '2 of 3 were delivered there since. The replay is done, and 1 delivery of it failed.',
  ],
  [
    'all failed',
    sent(0, 'done', 3),
    'None of 3 were delivered there since. The replay is done, and 3 deliveries of it failed.',
  ],
  [
    'it held a part',
    sent(1, 'done'),
    '1 of 3 was delivered there since. The replay did not include the rest.',
  ],
  ['it was stopped', sent(1, 'stopped'), '1 of 3 was delivered there since. The replay was stopped.'],
  ['it gave up', sent(0, 'failing', 10), 'The replay gave up, and 10 deliveries of it failed.'],
  [
    'it was interrupted',
    sent(2, 'interrupted'),
    '2 of 3 were delivered there since. The replay was interrupted.',
  ],
  ['it goes on', sent(2, 'running'), '2 of 3 were delivered there since. A replay is under way.'],
  ['there is more', { ...sent(3, 'done'), tooMany: true }, '3 of more than 3 were delivered there since.'],
] as const)('keeps the offer and says what happened when %s', (_case, given, words) => {
  const said = shown(given)
  expect(said).toMatchObject({ kind: 'warning', offer: true })
  expect(said.text).toContain(words)
})

it('shows each ended time off separately, and the lasting one where the page says that the endpoint is off', () => {
  const times = [
    { from: '2026-11-22T09:00:00.000Z', until: null },
    off,
    { from: '2026-11-19T07:00:00.000Z', until: '2026-11-19T08:00:00.000Z' },
  ].map((time) => ({
    endpointUuid: 'e-1',
    off: time,
    missed: { filter: { from: time.from }, count: 3, tooMany: false, sent: null },
  }))
  const offers = (children: ReactNode) => rendered(children).match(/from=2026-11-\d\d/g)
  expect(missedAlerts(times).map(({ shown }) => offers(shown))).toEqual([
    ['from=2026-11-20'],
    ['from=2026-11-19'],
  ])
  expect(offers(missedSoFar(times)?.actions)).toEqual(['from=2026-11-22'])
  expect(missedSoFar(times.slice(1))).toBeNull()
})
