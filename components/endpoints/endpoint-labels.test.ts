import { expect, test } from 'vitest'
import { parseEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import { endpointName, endpointStatusLabel, eventsSummary } from './endpoint-labels.ts'
import { gapKindLabels } from './gaps/gap-labels.ts'

test.each([
  { events: null, words: 'All events' },
  { events: [], words: 'No events' },
  { events: ['KYC', 'KYB'], words: 'KYC, KYB' },
  { events: ['KYC', 'KYB', 'AML', 'fiatToCrypto'], words: 'KYC, KYB and 2 more' },
  { events: ['somethingNew'], words: 'somethingNew' },
])('$events becomes "$words"', ({ events, words }) => {
  expect(eventsSummary(events)).toBe(words)
})

test('names an endpoint by its description, or by the host of its url, or by its url', () => {
  expect(endpointName({ description: 'Ledger', url: 'https://a.example/hook' })).toBe('Ledger')
  expect(endpointName({ description: ' ', url: 'https://a.example/hook' })).toBe('a.example')
  expect(endpointName({ description: null, url: 'nonsense' })).toBe('nonsense')
})

test('shows a status that the service added later as it is', () => {
  expect(endpointStatusLabel('throttled')).toEqual({ label: 'throttled', tone: 'wait' })
  expect(parseEndpointStatus('throttled')).toBeNull()
  expect(parseEndpointStatus(['active'])).toBeNull()
})

test('a status has the same label as the gap that it makes', () => {
  expect(endpointStatusLabel('auto_disabled').label).toBe(gapKindLabels['auto-disabled'].label)
  expect(endpointStatusLabel('disabled').label).toBe(gapKindLabels.disabled.label)
})
