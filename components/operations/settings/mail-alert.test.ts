import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { MailHealth } from '#lib/platform/rules/mail-states.ts'
import { mailAlerts } from './installation-alerts.tsx'
import { MailCard } from './settings-cards.tsx'

const at = '2026-02-01T10:00:00.000Z'
const well: MailHealth = {
  lastSentAt: at,
  waiting: 0,
  lateSince: null,
  lost: 0,
  lastFault: { at, answer: '450 later' },
  triedAt: at,
}
const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const alert = (health: MailHealth | null) =>
  rendered(createElement(AlertSlot, { alerts: mailAlerts(health) }))

it('has no alert while mail is sent, even after earlier errors of the mail server', () => {
  expect(alert(null)).toBe('')
  expect(alert(well)).toBe('')
})

it('shows since when mails wait, or how many reached nobody, and why', () => {
  expect(alert({ ...well, waiting: 1, lateSince: at })).toMatch(
    /Mail cannot be sent\..*Mails wait since <time[^>]*2026-02-01T10:00.*Last fault: 450 later/,
  )
  expect(alert({ ...well, lost: 1 })).toContain('One mail of the last day may have reached nobody.')
  expect(alert({ ...well, lost: 2 })).toMatch(/2 mails of the last day.*href="\/settings#mail"/)
})

it('shows what works without a mail server', () => {
  const sendTest = async () => ({ kind: 'done', value: { state: 'sent', answer: '' } }) as const
  const mail = { server: null, from: null, health: { ...well, lastSentAt: null } }
  const card = rendered(createElement(MailCard, { mail, to: null, sendTest }))
  expect(card).toContain('SMTP_URL')
  expect(card).not.toContain('Send a test')
})
