import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PersonStatuses, StandingPill } from './standing-pill.tsx'

type Doubt = Exclude<Parameters<typeof PersonStatuses>[0]['doubt'], undefined>

const verified = {
  subjectId: 'entity:u',
  id: 'u',
  type: 'KYC',
  state: 'FULL_USER',
  restricted: false,
  currency: null,
  entityUuid: 'u',
  userEmail: null,
  startedAt: '2026-02-01T00:00:00.000Z',
  lastMoveAt: '2026-02-01T00:00:00.000Z',
} as const

const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, '')

it.each([
  [
    'account',
    (doubt: Doubt) =>
      createElement(StandingPill, {
        standing: { type: 'linkBankAccount', state: 'ACTIVE', restricted: false, doubt },
      }),
  ],
  ['person', (doubt: Doubt) => createElement(PersonStatuses, { person: null, standings: [verified], doubt })],
])('shows the doubt of an %s in words, without hiding the colour', (_, pill) => {
  const html = (doubt: Doubt) => renderToStaticMarkup(pill(doubt))
  for (const [doubt, said] of [
    ['came-again', 'received again'],
    ['repeat-unsure', 'possibly finished'],
  ] as const) {
    expect(words(html(doubt))).toBe(`${words(html(null))} · ${said}`)
    expect(html(doubt)).toContain('data-tone="done"')
  }
  expect(html(null)).toContain('data-tone="done"')
})

it('shows no doubt of the events beside the status that the service gave later', () => {
  const person = { status: 'FULL_USER', statusAt: '2026-02-02T00:00:00.000Z' }
  const shown = { person, standings: [{ ...verified, state: 'KYC_PENDING' }], doubt: 'came-again' } as const
  expect(words(renderToStaticMarkup(createElement(PersonStatuses, shown)))).toBe('Verified')
})
