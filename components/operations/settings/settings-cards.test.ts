import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { ReportView } from '#lib/identity/single-sign-on/reports.ts'
import { SingleSignOnCard } from './settings-cards.tsx'

const connection = { name: 'Example login', issuer: 'https://login.example/', claim: 'groups' }
const report: ReportView = {
  at: '2026-02-01T10:00:00.000Z',
  member: null,
  why: null,
  identityToken: ['sub', 'realm_access.roles'],
  userInfo: [],
  role: { claim: 'groups', said: 'role', role: 'support', value: '["helpdesk"]' },
  read: {
    issuer: 'https://login.example/',
    subject: 'kim',
    name: 'Kim',
    email: 'kim@example.com',
    emailVerified: null,
  },
  provedAt: '2026-02-01T09:59:00.000Z',
  isFresh: true,
  clockDifference: 0,
}
const test = async () => ({ kind: 'done', value: { url: '' } }) as const
const shown = (tested: ReportView | null, refused: ReportView | null = null) => {
  const children = createElement(SingleSignOnCard, { connection, reports: { test: tested, refused }, test })
  const page = createElement(WordsProvider, { language: 'en', messages: {}, children })
  return renderToStaticMarkup(page).replaceAll(/<[^>]*>/g, '')
}

it('offers a test, and shows no claims that did not come', () => {
  expect(shown(null)).toContain('Test single sign-on')
  expect(shown(null)).not.toContain('Your last test')
})

it('shows the claims of a test, the role and how fresh it is', () => {
  const text = shown(report)
  for (const part of [
    'Sign-in works',
    '[&quot;helpdesk&quot;]',
    'Support',
    'sub, realm_access.roles',
    'not said to be verified',
    ', fresh.',
  ])
    expect(text).toContain(part)
})

it.each([
  [{ provedAt: null, isFresh: false }, 'Not sent: whatever needs a fresh sign-in needs a passkey'],
  [{ clockDifference: -1200 }, 'The identity provider’s clock is 20 min behind this server’s'],
  [{ clockDifference: 1200 }, 'The identity provider’s clock is 20 min ahead of this server’s'],
  [{ isFresh: false }, 'too old to count as fresh'],
])('shows for %j: %s', (change, words) => {
  expect(shown({ ...report, ...change })).toContain(words)
})

it('names the member who was refused, and why', () => {
  const role = { claim: 'groups', said: 'not-sent', role: null, value: null } as const
  const text = shown(null, {
    ...report,
    why: 'sso-role-not-sent',
    role,
    read: null,
    member: { id: 'x', name: 'Al' },
  })
  for (const part of ['Last refused', 'Al', 'did not say which role', 'None: the claim was not sent'])
    expect(text).toContain(part)
  expect(text).not.toContain('kim@example.com')
})
