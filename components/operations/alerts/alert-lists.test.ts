import { describe, expect, it } from 'vitest'
import { permissionOfPage } from '#lib/access/rules/pages.ts'
import type { AlertView } from '#lib/operations/alerts/alerts.ts'
import { wordsOfAlert } from '#lib/operations/labels/alert-labels.ts'
import { conditionCodes, pageOfAlert } from '#lib/operations/rules/alert-conditions.ts'
import { alertTitle, messagesLabel, openPageOf, worstLabel } from './alert-lists.tsx'

const uuid = '3f2a91c4-0000-4000-8000-000000000001'

const view = (condition: AlertView['condition'], subject = '', more: Partial<AlertView> = {}): AlertView => ({
  id: uuid,
  condition,
  urgency: 'urgent',
  subject,
  title: wordsOfAlert(condition).title,
  summary: '',
  whatToDo: '',
  page: pageOfAlert(condition, subject),
  value: 6,
  worst: 12.345,
  threshold: 5,
  unit: 'minutes',
  beganAt: '2026-11-29T03:00:00.000Z',
  firedAt: '2026-11-29T03:05:00.000Z',
  resolvedAt: null,
  acknowledged: null,
  messages: { waiting: 0, sent: 0, failed: 0 },
  ...more,
})

it('names the subject of an alert where its condition has several', () => {
  expect(alertTitle(view('endpoint-off', uuid))).toBe('Endpoint off: 3f2a91c4')
  expect(alertTitle(view('dead-letters'))).toBe('Dead letters')
})

it.each([
  [{ waiting: 0, sent: 0, failed: 0 }, 'Nobody was notified'],
  [{ waiting: 0, sent: 1, failed: 0 }, '1 message sent'],
  [{ waiting: 2, sent: 1200, failed: 1 }, '1,200 messages sent, 2 messages waiting, 1 message not sent'],
])('says of the messages %o: %s', (messages, words) => {
  expect(messagesLabel(messages)).toBe(words)
})

it('says how bad it was, on the side where the condition fires', () => {
  expect(worstLabel(view('endpoint-off', uuid))).toBe('up to 12.35 minutes, threshold 5')
  expect(worstLabel(view('audit-broken', '', { worst: 1, threshold: 1 }))).toBe('up to 1 fault, threshold 1')
  const days = { worst: 3, threshold: 14, unit: 'days' }
  expect(worstLabel(view('certificate-expiry', 'a.example', days))).toBe('down to 3 days, threshold 14')
})

describe('the page of an alert', () => {
  it('exists for every condition', () => {
    for (const code of conditionCodes)
      expect(permissionOfPage(pageOfAlert(code, uuid).split('?', 1).join('')), code).not.toBeNull()
  })

  it('is no link for a role that may not open it', () => {
    expect(openPageOf('admin', view('audit-broken'))).toBe('/audit')
    expect(openPageOf('support', view('audit-broken'))).toBeNull()
    expect(openPageOf('support', view('transaction-held'))).toBe('/overview?look=held')
    expect(openPageOf('admin', view('disk-full', 'db1')), 'this page has it').toBeNull()
  })
})
