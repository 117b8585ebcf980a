import fs from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { conditionCodes, conditionOf } from '../rules/alert-conditions.ts'
import { alertWords } from './alert-labels.ts'
import {
  type MessageAlert,
  mailOfAlerts,
  slackOfAlerts,
  teamsOfAlerts,
  webhookOfAlerts,
} from './alert-messages.ts'

const alert = (given: Partial<MessageAlert> = {}): MessageAlert => ({
  id: '0199e3f0-0000-7000-8000-000000000001',
  condition: 'endpoint-off',
  subject: '3f2a91c4-1111-4111-8111-111111111111',
  change: 'fired',
  value: 6,
  threshold: 5,
  beganAt: '2026-11-29T03:00:00.000Z',
  resolvedAt: null,
  ...given,
})
const over = { change: 'resolved', resolvedAt: '2026-11-29T03:20:00.000Z' } as const
const unwatched = { ...over, change: 'unwatched' } as const
const text = (...alerts: MessageAlert[]) => ({
  alerts,
  dashboard: 'https://dash.example.com/',
  at: '2026-11-29T03:06:00.000Z',
})
const everyForm = (...alerts: MessageAlert[]) =>
  [mailOfAlerts, slackOfAlerts, teamsOfAlerts, webhookOfAlerts]
    .map((form) => JSON.stringify(form(text(...alerts))))
    .join('\n')

describe('a mail', () => {
  it('says what is wrong, since when, what to do and where', () => {
    const mail = mailOfAlerts(text(alert()))
    expect(mail.subject).toBe(
      'Urgent: The endpoint 3f2a91c4 has been off for 6 min (Rampart at dash.example.com)',
    )
    expect(mail.text).toContain('Since 2026-11-29 03:00 UTC.')
    expect(mail.text).toContain(alertWords['endpoint-off'].whatToDo)
    expect(mail.text).toContain('https://dash.example.com/endpoints/3f2a91c4-1111-4111-8111-111111111111')
  })

  it('says how long it lasted when it is over, and nothing to do', () => {
    const mail = mailOfAlerts(text(alert(over)))
    expect(mail.subject).toContain('Resolved: Endpoint off (3f2a91c4)')
    expect(mail.text).toContain('It lasted from 2026-11-29 03:00 UTC to 2026-11-29 03:20 UTC.')
    expect(mail.text).not.toContain('activate')
  })

  it('does not call an alert resolved whose rule was switched off or changed', () => {
    const mail = mailOfAlerts(text(alert(unwatched)))
    expect(mail.subject).toContain('No longer watched: Endpoint off (3f2a91c4)')
    expect(mail.text).toContain(
      'It began at 2026-11-29 03:00 UTC and may last: its rule was switched off or changed.',
    )
    for (const form of [slackOfAlerts, teamsOfAlerts])
      expect(JSON.stringify(form(text(alert(unwatched))))).not.toMatch(/Resolved|It lasted|Good/)
    expect(mailOfAlerts(text(alert(), alert(over), alert(unwatched))).subject).toContain(
      'Urgent: 1 alert firing, 1 resolved, 1 no longer watched',
    )
    // Programs close what they opened.
    expect(webhookOfAlerts(text(alert(unwatched)))).toMatchObject({
      data: { alerts: [{ change: 'resolved', state: 'resolved' }] },
    })
  })

  it('counts several alerts, and lists at most 25', () => {
    expect(mailOfAlerts(text(alert(), alert(), alert(over))).subject).toContain(
      'Urgent: 2 alerts firing, 1 resolved',
    )
    const many = Array.from({ length: 30 }, () => alert())
    expect(mailOfAlerts(text(...many)).text).toContain('5 more alerts are on the page.')
    expect(mailOfAlerts(text(...many.slice(0, 26))).text).toContain('1 more alert is on the page.')
  })
})

it('says of a repeated alert that it still fires', () => {
  expect(mailOfAlerts(text(alert({ change: 'repeated' }))).subject).toContain('Still firing')
})

it('gives Slack its own marks for links alone', () => {
  const { text: said } = slackOfAlerts(
    text(alert({ condition: 'disk-full', subject: '<!channel> & co', value: 91 })),
  )
  expect(said).toContain('*Urgent: The disk of a machine is 91 percent full.*')
  expect(said.match(/<[^>]+>/g)).toEqual(['<https://dash.example.com/alerts|Open>'])
})

it('gives Teams one Adaptive Card, as its workflows want it', () => {
  expect(teamsOfAlerts(text(alert()))).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', wrap: true }, {}, {}] },
      },
    ],
  })
})

it('gives programs the fields that the documentation names', () => {
  const body = webhookOfAlerts(text(alert(over)))
  expect(body).toMatchObject({
    type: 'alerts.changed',
    timestamp: '2026-11-29T03:06:00.000Z',
    data: { alerts: [{ condition: 'endpoint-off', state: 'resolved', urgency: 'urgent', unit: 'minutes' }] },
  })
  const docs = fs.readFileSync('docs/alerts.md', 'utf8')
  const names = [...JSON.stringify(body).matchAll(/"(\w+)":/g)].map(([, name]) => name ?? '')
  for (const name of names) expect(docs).toContain(`\`${name}\``)
})

it('says of a test that it is one', () => {
  expect(everyForm()).toContain('alerts.test')
  expect(slackOfAlerts(text()).text).toContain('to see whether alerts arrive')
})

test.each(conditionCodes)('%s has a runbook, and words for any value', (code) => {
  const { title, whatToDo } = alertWords[code]
  expect(fs.readFileSync('docs/alerts.md', 'utf8')).toContain(`### ${title}\n`)
  expect(whatToDo).toMatch(/^[A-Z].+[^.]\.$/)
  const { threshold } = conditionOf(code)
  for (const value of [0, 0.9, 1, threshold, threshold * 2 + 0.5])
    expect(everyForm(alert({ condition: code, value }))).not.toMatch(/undefined|NaN|\d\.\d{4}|in 0 /)
})

/** These values stand for a person in whatever a subject was made of. */
const personal = [
  'ana.lima@example.com',
  'DE89370400440532013000',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  'Ana Lima',
  '203.0.113.7 Ana',
]

/** The other subjects are ids and names that Rampart made, or those of its own machines. */
const fromOutside = conditionCodes.filter((code) => ['reason', 'type'].includes(conditionOf(code).subject))

test.each(fromOutside)('%s repeats nothing of a person', (code) => {
  for (const subject of personal)
    for (const given of [{}, over]) {
      const said = everyForm(alert({ condition: code, subject, ...given }))
      for (const part of subject.split(' ')) expect(said).not.toContain(part)
    }
})
