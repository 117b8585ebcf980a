import crypto from 'node:crypto'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { Role } from '#lib/access/rules/roles.ts'
import type { AuditView } from '#lib/audit/audit-view.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { inRouter } from '../../test/in-router.ts'
import { AuditFilterForm } from './audit-filter-form.tsx'
import { AuditTable } from './audit-table.tsx'

const id = crypto.randomUUID()

function shown(given: Partial<AuditView>, role: Role = 'admin'): string {
  const entry: AuditView = {
    id,
    at: '2026-11-20T02:10:00.000Z',
    actor: null,
    action: 'endpoint.change',
    target: id,
    targetName: null,
    isCompany: false,
    outcome: 'done',
    reason: null,
    reasonWithheld: null,
    details: [],
    changes: [],
    ip: '192.0.2.7',
    userAgent: null,
    ...given,
  }
  const children = createElement(AuditTable, { entries: [entry], role })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
  )
}

const fact = (name: string, value: string) => ({ details: [{ name, value }] })

it.each<[Partial<AuditView>, words: string, path: string | null]>([
  [{ action: 'endpoint.change', targetName: 'Payments' }, 'Endpoint: Payments', `/endpoints/${id}`],
  [{ action: 'endpoint.create', target: 'https://a.example/b' }, 'Endpoint that delivers to', null],
  [{ action: 'overview.mute', target: `endpoint:${id}` }, 'Endpoint', `/endpoints/${id}`],
  [{ action: 'overview.mute', target: `transaction:${id}` }, 'Transaction', `/transactions/${id}`],
  [{ action: 'overview.mute', ...fact('kind', 'gap') }, 'Missed deliveries', `/gaps/${id}`],
  [{ action: 'overview.mute', ...fact('kind', 'aml') }, 'Event', null],
  [{ action: 'gap.close' }, 'Missed deliveries', `/gaps/${id}`],
  [{ action: 'replay.start' }, 'Replay', `/replays/${id}`],
  [{ action: 'note.add' }, 'Transaction', `/transactions/${id}`],
  [{ action: 'read.transaction' }, 'Transaction', `/transactions/${id}`],
  [{ action: 'read.subject', target: `bank-account:${id}` }, 'Bank account', `/accounts/${id}`],
  [{ action: 'read.subject', target: `entity:${id}` }, 'Person or company', `/users/${id}`],
  [{ action: 'read.field', ...fact('field', 'parties.sender.iban') }, 'Transaction', `/transactions/${id}`],
  [{ action: 'read.field', ...fact('field', 'iban') }, 'Bank account', `/accounts/${id}`],
  [{ action: 'read.field', ...fact('field', 'dateOfBirth') }, 'Person', `/users/${id}`],
  [{ action: 'read.body' }, 'Event', null],
  [{ action: 'read.list' }, 'Person', `/users/${id}`],
  [{ action: 'read.person', isCompany: true }, 'Company', `/companies/${id}`],
  [{ action: 'read.subject', target: `entity:${id}`, isCompany: true }, 'Company', `/companies/${id}`],
  [{ action: 'session.start' }, 'Person', `/users/${id}`],
  [{ action: 'session.end', targetName: 'Kim Lima' }, 'Kim Lima', null],
  [{ action: 'user.import' }, 'Import', `/users/import/${id}`],
  [{ action: 'user.erase' }, 'Erasure', null],
  [{ action: 'member.role', targetName: 'Kim Lima' }, 'Member: Kim Lima', `/team/${id}`],
  [{ action: 'member.invite', targetName: 'Kim Lima' }, 'Invitation: Kim Lima', null],
  [{ action: 'access.denied', target: '/settings' }, '', null],
])('%o shows its target and links to it', (given, words, path) => {
  const html = shown(given)
  const name = path === null ? `>${words} <span` : `href="${path}">${words}</a> <span`
  expect(html).toContain(name)
  if (path === null) expect(html).not.toContain('href')
  expect(html).toContain(given.target?.replace(/^[a-z-]+:(?!\/)/, '') ?? id)
})

it('shows whether the data of a person or of a company was read', () => {
  expect(shown({ action: 'read.person' })).toContain('Read a person’s data')
  expect(shown({ action: 'read.person', isCompany: true })).toContain('Read a company’s data')
})

it.each<[action: string, outcome: AuditView['outcome'], words: string]>([
  ['session.start', 'done', 'Signed in'],
  ['session.start', 'refused', 'Sign-in'],
  ['link.open', 'refused', 'Opening a link'],
  ['user.erase', 'begun', 'Erasing a person'],
  ['endpoint.create', 'failed', 'Creating an endpoint'],
  ['endpoint.create', 'unsure', 'Creating an endpoint'],
  ['endpoint.create', 'done', 'Endpoint created'],
  ['access.denied', 'refused', 'Denied'],
  ['some.new-action', 'refused', 'some.new-action'],
])('the label of %s with outcome %s says only what happened', (action, outcome, words) => {
  expect(shown({ action, outcome })).toContain(`>${words}</span>`)
})

it('shortens the digest that names an event without a name', () => {
  const digest = 'a1b2c3d4'.repeat(8)
  const html = shown({ action: 'read.subject', target: `unknown:${digest}` })
  expect(html).toContain('Unknown event')
  expect(html).toContain('>a1b2c3d4…2c3d4<')
})

it('links to no page that the role may not open', () => {
  expect(shown({ action: 'endpoint.change' }, 'compliance')).not.toContain('href')
  expect(shown({ action: 'member.role' }, 'auditor')).not.toContain('href')
  expect(shown({ action: 'user.add' }, 'auditor')).toContain(`href="/users/${id}"`)
})

it('names the browser in words, and shows an unknown one as it came', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  expect(shown({ userAgent: firefox })).toContain(`title="${firefox}">Firefox on Linux<`)
  expect(shown({ userAgent: 'curl/8.0' })).toContain('>curl/8.0<')
})

it('names the actor’s role as other pages do, and shows an unknown one as it came', () => {
  const by = (role: string) => shown({ actor: { id, name: 'Kim Lima', role } })
  expect(by('end-user')).toContain('>Customer<')
  expect(by('api')).toContain('>api<')
})

it.each([
  ['subscribedEvents', 'KYC, AML', 'Types of events', 'KYC, AML'],
  ['field', 'parties.sender.iban', 'Field', 'The sender’s IBAN'],
  ['matches', 'false', 'Matches', 'no'],
  ['kind', 'held', 'Kind', 'On hold'],
  ['role', 'end-user', 'Role', 'Customer'],
  ['someNewFact', 'as it came', 'Some new fact', 'as it came'],
  ['supportContact', '', 'Support contact', 'none'],
])('gives the fact %s a label', (name, value, label, text) => {
  const html = shown(fact(name, value))
  expect(html).toContain(`>${label}</dt>`)
  expect(html).toContain(`>${text}</dd>`)
  expect(html).not.toContain(`>${name}<`)
})

it('shows in words what was changed', () => {
  const html = shown({ changes: [{ name: 'role', before: 'support', after: 'admin' }] })
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain('Role: Support → Admin')
})

it('the days of the filter say that they are in UTC, as the list reads them', () => {
  const children = createElement(AuditFilterForm, {
    filters: { from: '2026-11-20' },
    whoName: null,
    resolve: () => Promise.reject(new Error('nobody asks')),
  })
  const text = renderToStaticMarkup(
    inRouter(
      createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
    ),
  ).replaceAll(/<[^>]+>/g, ' ')
  expect(text).toMatch(/From \(UTC\).*Until \(UTC\)/)
})
