import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { GapKind } from '#lib/endpoints/rules/gaps.ts'
import type { EndpointOffAttention } from '#lib/operations/overview/attention-items.ts'
import { gapView, substitute } from '../../../test/gap-view.ts'
import { switchedOffAlerts } from './switched-off-alerts.tsx'

const since = '2026-11-20T02:10:00.000Z'
const endpoint = { uuid: 'e-1', name: 'Payments' }
const elsewhere = (status: string): EndpointOffAttention => ({
  kind: 'endpoint',
  about: 'endpoint:e-1',
  since,
  offSince: null,
  endpoint: { ...endpoint, status },
})
const here = (kind: GapKind, isFullSubstitute: boolean): EndpointOffAttention => ({
  kind: 'endpoint',
  about: 'g-1',
  since,
  offSince: null,
  gap: gapView({ kind, endpoint, beganAt: since, otherEndpoints: [{ ...substitute, isFullSubstitute }] }),
})

const text = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))

it('is an error when no other endpoint was sent the missed deliveries, and links to the endpoint', () => {
  for (const item of [elsewhere('auto_disabled'), here('auto-disabled', false)]) {
    const [alert, ...others] = switchedOffAlerts([item])
    expect(others).toEqual([])
    expect(alert?.kind).toBe('error')
    expect(text(alert?.shown)).toMatch(/The provider switched off “Payments”\..*href="\/endpoints\/e-1"/)
  }
})

it('is a warning when another endpoint may have brought all of it, and says so', () => {
  const [alert] = switchedOffAlerts([here('auto-disabled', true)])
  expect(alert?.kind).toBe('warning')
  expect(text(alert?.shown)).toContain('so probably nothing is missing')
})

it('shows since when the endpoint is off, as exactly as it was seen', () => {
  const saidOf = (after: string | null) => {
    const offSince = { after, by: '2026-11-20T02:10:40.000Z' }
    const [alert] = switchedOffAlerts([{ ...elsewhere('auto_disabled'), offSince }])
    return text(alert?.shown).replaceAll(/<[^>]+>/g, '')
  }
  expect(saidOf('2026-11-20T02:10:00.000Z')).toMatch(/Off since 20 Nov( 2026)? 02:10\. It gets/)
  expect(saidOf('2026-11-20T02:09:40.000Z')).toMatch(/Off since about 20 Nov( 2026)? 02:10\. It gets/)
  expect(saidOf('2026-11-20T02:08:39.000Z')).toMatch(
    /Off since a time between 20 Nov.* 02:08:39 and 20 Nov.* 02:10:40\. /,
  )
  expect(saidOf(null)).toMatch(/Off since before 20 Nov/)
})

it('has no alert for an endpoint that an admin disabled', () => {
  expect(switchedOffAlerts([elsewhere('disabled'), here('disabled', false)])).toEqual([])
})
