import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { serviceAlerts } from './service-alert.tsx'

const at = '2026-02-01T10:00:00.000Z'
const seen: ServiceState = { look: 'seen', since: at, lookedAt: at, seenAt: at, keyRefused: false }
const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const alert = (look: ServiceState['look'], unwatchedSince: string | null = null) =>
  rendered(createElement(AlertSlot, { alerts: serviceAlerts({ state: { ...seen, look }, unwatchedSince }) }))

it('has no alert while the watcher looks and all is well, or before the first look', () => {
  expect(alert('seen')).toBe('')
  expect(serviceAlerts({ state: null, unwatchedSince: null })).toEqual([])
})

it('shows since when nobody looks, whatever was seen last', () => {
  for (const look of ['seen', 'key-refused', 'unanswered'] as const) {
    const html = alert(look, at)
    expect(html, look).toMatch(/role="alert".*The provider was not checked since <time[^>]*2026-02-01T10:00/)
    expect(html.includes('refuses the API key'), look).toBe(look === 'key-refused')
    expect(html, look).not.toContain('It is checked every minute')
  }
})
