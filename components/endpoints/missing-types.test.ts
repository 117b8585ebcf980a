import { expect, test } from 'vitest'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { missingTypes } from './missing-types.ts'

const endpoint = (uuid: string, given: Partial<EndpointView> = {}): EndpointView => ({
  uuid,
  url: 'https://merchant.example',
  description: null,
  status: 'active',
  statusSince: null,
  subscribedEvents: null,
  ours: true,
  receiver: null,
  repair: null,
  shownAt: null,
  replaces: null,
  replacedBy: null,
  ...given,
})

test('names the types that none of the active endpoints here brings', () => {
  const most = endpoint('most', {
    subscribedEvents: eventTypes.filter((type) => type !== 'KYC' && type !== 'AML'),
  })
  expect(missingTypes([most])).toEqual(['KYC', 'AML'])
  expect(missingTypes([most, endpoint('kyc', { subscribedEvents: ['KYC'] })])).toEqual(['AML'])
  expect(
    missingTypes([most, endpoint('off', { status: 'disabled' }), endpoint('there', { ours: false })]),
  ).toEqual(['KYC', 'AML'])
  expect(missingTypes([most, endpoint('all')])).toEqual([])
})

test('names none while nothing is brought here at all', () => {
  expect(missingTypes([endpoint('off', { status: 'disabled', subscribedEvents: ['KYC'] })])).toEqual([])
})
