import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { StandingPill } from './standing-pill.tsx'
import { UserStatusPill } from './users/user-status-pill.tsx'

const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, '')

it.each([
  [
    'account',
    (doubt: string | null) =>
      createElement(StandingPill, {
        standing: { type: 'linkBankAccount', state: 'ACTIVE', restricted: false, doubt },
      }),
  ],
  ['person', (doubt: string | null) => createElement(UserStatusPill, { status: 'FULL_USER', doubt })],
])('says in words, without hiding the colour, what unsettles where an %s stands', (_, pill) => {
  const html = (doubt: string | null) => renderToStaticMarkup(pill(doubt))
  for (const [doubt, said] of [
    ['came-again', 'came again'],
    ['repeat-unsure', 'may be over'],
  ] as const) {
    expect(words(html(doubt))).toBe(`${words(html(null))} · ${said}`)
    expect(html(doubt)).toContain('data-tone="done"')
  }
  expect(html(null)).toContain('data-tone="done"')
})
