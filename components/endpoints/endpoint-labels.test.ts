import { expect, test } from 'vitest'
import { parseEndpointStatus } from '#lib/deliveries/rules/endpoint-status.ts'
import { endpointName, endpointStatusLabel, eventsSummary } from './endpoint-labels.ts'
import { gapKindLabels } from './gaps/gap-labels.ts'

test.each([
  { events: null, words: 'All events' },
  { events: [], words: 'No events' },
  { events: ['KYC', 'KYB'], words: 'KYC, KYB' },
  { events: ['KYC', 'KYB', 'AML', 'fiatToCrypto'], words: 'KYC, KYB and 2 more' },
  { events: ['somethingNew'], words: 'somethingNew' },
])('says $events as "$words"', ({ events, words }) => {
  expect(eventsSummary(events)).toBe(words)
})

test('names an endpoint by its description, else by the host of its url, else by what it has', () => {
  expect(endpointName({ description: 'Ledger', url: 'https://a.example/hook' })).toBe('Ledger')
  expect(endpointName({ description: ' ', url: 'https://a.example/hook' })).toBe('a.example')
  expect(endpointName({ description: null, url: 'nonsense' })).toBe('nonsense')
})

test('shows a state that the service has added since as it is', () => {
  expect(endpointStatusLabel('throttled')).toEqual({ label: 'throttled', tone: 'wait' })
  expect(parseEndpointStatus('throttled')).toBeNull()
  expect(parseEndpointStatus(['active'])).toBeNull()
})

test('calls a state as the gap is called that it makes', () => {
  expect(endpointStatusLabel('auto_disabled').label).toBe(gapKindLabels['auto-disabled'].label)
  expect(endpointStatusLabel('disabled').label).toBe(gapKindLabels.disabled.label)
})
