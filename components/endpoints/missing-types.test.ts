import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { endpointView } from '../../test/endpoint-view.ts'
import { EventsField } from './events-field.tsx'
import { missingTypes, missingTypesAlerts } from './missing-types.tsx'

test('names the types that none of the active endpoints here brings', () => {
  const most = endpointView('most', {
    subscribedEvents: eventTypes.filter((type) => type !== 'KYC' && type !== 'AML'),
  })
  expect(missingTypes([most])).toEqual(['KYC', 'AML'])
  expect(missingTypes([most, endpointView('kyc', { subscribedEvents: ['KYC'] })])).toEqual(['AML'])
  expect(
    missingTypes([most, endpointView('off', { status: 'disabled' }), endpointView('there', { ours: false })]),
  ).toEqual(['KYC', 'AML'])
  expect(missingTypes([most, endpointView('all')])).toEqual([])
})

test('names none when no endpoint brings anything here', () => {
  expect(missingTypes([endpointView('off', { status: 'disabled', subscribedEvents: ['KYC'] })])).toEqual([])
})

test('the alert counts one kind as one', () => {
  const [alert] = missingTypesAlerts(['KYC'])
  expect(renderToStaticMarkup(alert?.shown)).toMatch(/1 of \d+ kinds of events does not come/)
})

test('the form shows types that it does not know, and counts only those that it offers', () => {
  const field = createElement(EventsField, { chosen: ['KYC', 'laterType'], offerAll: false, here: false })
  const shown = renderToStaticMarkup(field).replaceAll('<!-- -->', '')
  expect(shown).toContain(`1 of ${eventTypes.length}`)
  expect(shown).toContain('It also keeps what this form cannot change: laterType.')
})
