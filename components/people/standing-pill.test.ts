import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PersonStatuses, StandingPill } from './standing-pill.tsx'

type Doubt = Exclude<Parameters<typeof PersonStatuses>[0]['doubt'], undefined>

const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, '')

it.each([
  [
    'account',
    (doubt: Doubt) =>
      createElement(StandingPill, {
        standing: { type: 'linkBankAccount', state: 'ACTIVE', restricted: false, doubt },
      }),
  ],
  ['person', (doubt: Doubt) => createElement(PersonStatuses, { status: 'FULL_USER', standings: [], doubt })],
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
