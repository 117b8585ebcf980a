import { describe, expect, it } from 'vitest'
import { eventRules, showBody } from '#lib/access/rules/events.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { eventFacts, factsOf } from './event-facts.ts'

/** These fields are shown elsewhere: in the label of the state, on the page, or beside an amount. */
const saidElsewhere = ['status', 'direction', 'transactionUuid', 'currencyFiat', 'currencyCrypto']

describe('the facts beside an event', () => {
  it.each(eventTypes)('of %s are all fields that the table of access knows', (type) => {
    expect([...Object.keys(eventFacts[type]), ...saidElsewhere]).toEqual(
      expect.arrayContaining(Object.keys(eventRules(type).data)),
    )
    for (const path of Object.keys(eventFacts[type])) expect(eventRules(type).data).toHaveProperty([path])
  })

  const shown = (role: 'support' | 'compliance' | 'auditor', envelope: { type: string; data: object }) =>
    factsOf({ type: envelope.type, body: showBody(role, JSON.stringify(envelope)) }).map(
      ({ name, value }) => `${name}: ${value}`,
    )

  it('of a sender’s name are for who may know what a check found', () => {
    const mismatch = {
      type: 'senderNameMismatch',
      data: { transactionUuid: 't-1', expectedName: 'Ana García', senderName: 'Another García' },
    }
    expect(shown('compliance', mismatch)).toEqual([
      'Name expected: Ana García',
      'Name received: Another García',
    ])
    expect(shown('support', mismatch)).toEqual([])
    expect(shown('auditor', mismatch)).toEqual([])
  })

  it('of an account come in one order, its numbers as the role may have them', () => {
    const account = {
      type: 'unblockBankAccount',
      data: { iban: 'DE89370400440532013000', currency: 'EUR', status: 'ACTIVE', bank_country: 'DE', pin: 7 },
    }
    expect(shown('support', account)).toEqual(['Currency: EUR', 'IBAN: DE•••3000', 'Bank’s country: DE'])
    expect(shown('compliance', account)).toContain('IBAN: DE89370400440532013000')
  })

  it('of a bounce are the mail server’s words, masked for an auditor', () => {
    const bounce = {
      type: 'otpNotification',
      data: {
        failureType: 'Permanent',
        diagnosticCode: 'smtp; 550 no such user',
        emailAddress: 'ana@demo.test',
      },
    }
    expect(shown('support', bounce)).toEqual([
      'Failure: Permanent',
      'E-mail: ana@demo.test',
      'The mail server said: smtp; 550 no such user',
    ])
    expect(shown('auditor', bounce).join()).not.toContain('ana@')
  })

  it('keep an amount’s digits and its currency', () => {
    const body = '{"type":"fiatToCrypto","data":{"amountFiat":1.10,"currencyFiat":"EUR","chain":"polygon"}}'
    expect(factsOf({ type: 'fiatToCrypto', body })[0]).toEqual({
      path: 'amountFiat',
      name: 'Fiat',
      kind: 'amount',
      value: '1.10',
      currency: 'EUR',
      chain: 'polygon',
    })
  })

  it('are none of a type that the contract does not name, and of what is no body', () => {
    expect(factsOf({ type: 'brandNew', body: '{"data":{"error":"x"}}' })).toEqual([])
    for (const body of [null, '', '[]', '{"data":[]}']) expect(factsOf({ type: 'KYC', body })).toEqual([])
  })
})
