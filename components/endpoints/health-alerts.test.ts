import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { endpointView } from '../../test/endpoint-view.ts'
import { gapView, substitute } from '../../test/gap-view.ts'
import { inRouter } from '../../test/in-router.ts'
import { healthAlerts } from './health-alerts.tsx'

const shown = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const never = () => Promise.resolve({ kind: 'idle' as const })
const actions = { setStatus: never, rotate: never, repair: never, finish: never, check: never }
const alertOf = (given: Partial<EndpointView>, mayManage: boolean) =>
  shown(inRouter(healthAlerts([endpointView('e-1', given)], [], mayManage ? actions : null)[0]?.shown))

it.each([
  [{ status: 'auto_disabled' }, 'Activate…'],
  [{ status: 'disabled' }, 'Activate…'],
  [{ repair: 'no-secret' }, 'Repair…'],
  [{ repair: 'not-seen' }, 'Rotate secret…'],
] as const)('of %j asks in place, as the endpoint’s page does, and leads nowhere', (given, label) => {
  expect(alertOf(given, true)).toMatch(new RegExp(`<button[^>]*>${label}`))
  expect(alertOf(given, true)).not.toContain('href')
})

it('promises no button to those who cannot change endpoints', () => {
  for (const given of [{ status: 'auto_disabled' }, { status: 'disabled' }, { repair: 'no-secret' } as const])
    expect(/>([^<]+)<\/a>/.exec(alertOf(given, false))?.[1]).toBe('Open')
})

it('says that nothing delivers here, even when an endpoint elsewhere needs something', () => {
  const titles = (...endpoints: EndpointView[]) =>
    shown(
      healthAlerts(endpoints, [], null).map((alert) => createElement('div', { key: alert.key }, alert.shown)),
    )
  const nothing = 'No active endpoint delivers to this dashboard.'
  const ourOwn = endpointView('e-1', { status: 'disabled' })
  for (const given of [{ status: 'auto_disabled' }, { repair: 'no-secret' } as const]) {
    const elsewhere = titles(ourOwn, endpointView('e-2', { ours: false, ...given }))
    expect(elsewhere).toContain(nothing)
    expect(elsewhere).toContain('href="/endpoints/e-2"')
    // The endpoint here has an alert that says why nothing arrives.
    expect(titles(ourOwn, endpointView('e-2', given))).not.toContain(nothing)
  }
})

describe('an endpoint that the service disabled', () => {
  const lastDeliveryAt = '2026-11-20T02:09:00.000Z'
  const receiver = {
    id: null,
    state: 'active' as const,
    lastDeliveryAt,
    refused: 0,
    refusedSince: null,
    reasons: [],
  }
  const switchedOff = endpointView('e-1', { status: 'auto_disabled', receiver })
  const gap = gapView()
  const closed = { outcome: 'recovered' as const, reason: 'r', by: 'b', at: '2026-11-20T03:00:00.000Z' }
  function alertWith(...gaps: GapView[]) {
    const [alert] = healthAlerts([switchedOff], gaps, null)
    return { kind: alert?.kind, text: shown(alert?.shown).replaceAll(/<[^>]+>/g, '') }
  }

  it.each<[string, GapView[]]>([
    ['its gap is not known yet', []],
    ['nothing else was sent what it missed', [gap]],
    [
      'another brought something else',
      [{ ...gap, otherEndpoints: [{ ...substitute, isFullSubstitute: false }] }],
    ],
    [
      'only the gap of another is covered',
      [{ ...gap, endpoint: { uuid: 'e-3', name: 'C' }, otherEndpoints: [substitute] }],
    ],
    ['an earlier one was closed and another is open', [{ ...gap, closed }, gap]],
    ['an admin has closed its gap, which lasts', [{ ...gap, closed }]],
  ])('says that deliveries may be missing when %s', (_when, gaps) => {
    const { kind, text } = alertWith(...gaps)
    expect(kind).toBe('error')
    expect(text).toContain('later ones may be missing')
  })

  it('is less urgent when another endpoint was sent the same, and says so, as the header does', () => {
    const { kind, text } = alertWith({ ...gap, otherEndpoints: [substitute] })
    expect(kind).toBe('warning')
    expect(text).toMatch(/One endpoint may have missed deliveries since .*so probably nothing is missing\./)
    expect(text).not.toContain('may be missing')
  })

  it('says that it was no gap once an admin has found so', () => {
    const { kind, text } = alertWith({ ...gap, closed: { ...closed, outcome: 'no-gap' } })
    expect(kind).toBe('warning')
    expect(text).toMatch(/What was seen since .* was a false alarm\./)
    expect(text).not.toContain('may be missing')
  })
})
