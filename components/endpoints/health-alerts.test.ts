import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { endpointView } from '../../test/endpoint-view.ts'
import { WordsProvider } from '../browser/words.tsx'
import { healthAlerts } from './health-alerts.tsx'

const shown = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const actionOf = (given: Partial<EndpointView>, mayManage = true) =>
  />([^<]+)<\/a>/.exec(shown(healthAlerts([endpointView('e-1', given)], mayManage)[0]?.shown))?.[1]

it('names the button that the endpoint’s page has for it', () => {
  expect(actionOf({ status: 'auto_disabled' })).toBe('Activate…')
  expect(actionOf({ status: 'disabled' })).toBe('Activate…')
  expect(actionOf({ repair: 'no-secret' })).toBe('Repair…')
})

it('promises no button to those who cannot change endpoints', () => {
  for (const given of [{ status: 'auto_disabled' }, { status: 'disabled' }, { repair: 'no-secret' } as const])
    expect(actionOf(given, false)).toBe('Open')
})

it('says that nothing delivers here, whatever an endpoint elsewhere needs', () => {
  const titles = (...endpoints: EndpointView[]) =>
    shown(healthAlerts(endpoints, true).map((alert) => createElement('div', { key: alert.key }, alert.shown)))
  const nothing = 'No active endpoint delivers to this dashboard.'
  const ourOwn = endpointView('e-1', { status: 'disabled' })
  for (const given of [{ status: 'auto_disabled' }, { repair: 'no-secret' } as const]) {
    const elsewhere = titles(ourOwn, endpointView('e-2', { ours: false, ...given }))
    expect(elsewhere).toContain(nothing)
    expect(elsewhere).toContain('href="/endpoints/e-2"')
    // Our own says in its alert why nothing arrives.
    expect(titles(ourOwn, endpointView('e-2', given))).not.toContain(nothing)
  }
})
