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
