import { expect, it } from 'vitest'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { customerEventTypes, eventRules, isForCustomers } from './events.ts'

it('lets customers know of the same types, one by one and as a list', () => {
  expect(eventTypes.filter(isForCustomers)).toEqual(customerEventTypes)
  expect(customerEventTypes).toContain('fiatToCrypto')
  for (const type of ['AML', 'senderNameMismatch', 'duplicateUser', 'brandNew', 'toString', null])
    expect(isForCustomers(type), String(type)).toBe(false)
})

it('knows of a type that nobody named that it is unknown', () => {
  for (const type of [null, '', 'brandNew', 'constructor'])
    expect(eventRules(type)).toEqual({ exists: 'unknown', says: 'unknown', body: 'body', data: {} })
})
