import { describe, expect, it } from 'vitest'
import { deliveryReasonMessage } from '#lib/deliveries/labels/delivery-labels.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { chainLabel, reasonLabel, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { formatDuration, formatPlainDuration } from '#lib/words/labels/duration.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { computedRate, formatMoney } from '#lib/words/labels/money.ts'
import { plainSpaces } from '../../../test/plain-spaces.ts'
import type { SameReason } from '../rules/decide-repeat.ts'
import { eventLabel, rawState } from './event-labels.ts'
import { eventTypeLabel } from './event-type-labels.ts'

describe('steps and types', () => {
  it('knows the thirteen types of §2.3', () => {
    expect(eventTypes).toHaveLength(13)
    for (const type of eventTypes) expect(eventTypeLabel(type).meaning).toMatch(/\.$/)
  })

  it('shows an unknown type, step and status as they are', () => {
    expect(eventTypeLabel('cardIssued')).toEqual({ label: 'cardIssued', meaning: null, group: null })
    expect(stepLabel('fiatToCrypto', 'NEW_STEP')).toEqual({ label: 'NEW_STEP', tone: 'wait' })
    expect(stepLabel('fiatToCrypto', 'LIMIT_BREACHED').label).toBe('LIMIT_BREACHED')
    expect(stepLabel(null, '__proto__').label).toBe('__proto__')
  })

  it.each([
    [{ type: 'fiatToCrypto', subType: 'CRYPTO_TRANSFER_ISSUED' }, 'Stablecoin sent', 'move'],
    [{ type: 'cryptoToFiat', subType: 'LIMIT_BREACHED' }, 'Below minimum', 'fail'],
    [{ type: 'linkBankAccount', subType: 'statusUpdate', status: 'ACTIVE' }, 'Active', 'done'],
    [{ type: 'linkBankAccount', subType: 'statusUpdate', status: 'NEW' }, 'NEW', 'wait'],
    [{ type: 'otpNotification', subType: 'EMAIL_DELIVERY_FAILED' }, 'E-mail bounced', 'fail'],
    [{ type: 'KYC', subType: 'statusUpdate', status: 'FULL_USER' }, 'Verified', 'done'],
    [{ type: 'KYC', subType: 'statusUpdate', status: 'BRAND_NEW' }, 'BRAND_NEW', 'wait'],
    [{ type: 'KYC', subType: 'statusUpdate' }, 'No status', 'wait'],
    [{ type: 'AML', subType: 'statusUpdate', status: 'FAILED' }, 'Check failed', 'fail'],
    [{ type: 'senderNameMismatch', subType: 'ANY_NAME' }, 'Name differs', 'held'],
    [{ type: 'walletCreated' }, 'Created', 'done'],
    [{ type: 'brandNew', subType: '•••', status: '•••' }, 'Unknown', 'wait'],
    [{ type: 'brandNew' }, 'Unknown', 'wait'],
    [{}, 'Unknown', 'wait'],
  ])('says of %j: %s', (event, label, tone) => {
    const nothing = { type: null, subType: null, status: null }
    expect(eventLabel({ ...nothing, ...event })).toMatchObject({ label, tone })
  })

  it('says of what a role does not get that it is for others', () => {
    const hidden = { type: 'AML', subType: null, status: null, restricted: true }
    const unknown = { type: 'brandNew', subType: '•••', status: '•••', restricted: true }
    expect(eventLabel(unknown).label).toBe('Unknown')
    expect(eventLabel(hidden)).toMatchObject({
      label: 'For compliance',
      meaning: 'Your role cannot read the result.',
    })
  })

  it('says who must act by the reason of a hold', () => {
    const held = { type: 'cryptoToFiat', subType: 'ON_HOLD', status: 'ON_HOLD_KYC' }
    expect(eventLabel(held)).toMatchObject({
      label: 'On hold',
      next: 'The customer must finish verification; their page shows how far it is.',
    })
    expect(eventLabel({ ...held, status: 'ON_HOLD_NEW' }).meaning).toBe('Paused.')
  })

  it('shows the word that came only where the label is another', () => {
    const kyc = { type: 'KYC', subType: 'statusUpdate', status: 'FULL_USER' }
    expect(rawState(kyc)).toBe('FULL_USER')
    expect(rawState({ ...kyc, status: 'BRAND_NEW' })).toBeNull()
    expect(rawState({ type: 'fiatToCrypto', subType: 'PENDING', status: null })).toBeNull()
  })

  it('gives a reason its words, and shortens one without that begins with its step', () => {
    expect(reasonLabel('ON_HOLD', 'ON_HOLD_KYC')).toBe('KYC')
    expect(reasonLabel('ON_HOLD', 'ON_HOLD_PROCESS')).toBe('processing')
    expect(reasonLabel('ON_HOLD', 'ON_HOLD_NEW')).toBe('NEW')
    expect(reasonLabel('SUCCESS', 'PROCESS_COMPLETED')).toBeNull()
    expect(reasonLabel('SUCCESS', 'ANYTHING_ELSE')).toBe('ANYTHING_ELSE')
    expect(reasonLabel('FAILED', 'FAILED')).toBeNull()
    expect(reasonLabel('FAILED', null)).toBeNull()
  })

  it('gives a chain its capital', () => {
    expect(['polygon', 'Base', 'BSC', 'zkSync'].map(chainLabel)).toEqual(['Polygon', 'Base', 'BSC', 'zkSync'])
  })
})

describe('why a delivery stands where it does', () => {
  it.each<[SameReason, string]>([
    [{ kind: 'first' }, 'Received for the first time'],
    [
      { kind: 'happened-again', secondsAfter: 500, because: 'other-event-between' },
      'Happened again: also received 8 min 20 s before, with other events in between',
    ],
    [
      { kind: 'happened-again', secondsAfter: 70_000, because: 'after-retry-window' },
      'Happened again: last received 19 h 26 min before, too long ago for a retry',
    ],
    [
      { kind: 'happened-again', secondsAfter: 20, because: 'repeated-by-two-endpoints' },
      'Happened again: also received 20 s before; two endpoints repeat it at once',
    ],
    [
      { kind: 'other-endpoint', secondsAfter: 0.2 },
      'Also received via another endpoint, less than 1 s later',
    ],
    [
      { kind: 'unsure-answer', secondsAfter: 66 },
      'Received again 66 s later: a retry, our answer may have been lost',
    ],
    [
      { kind: 'retry', secondsAfter: 3, from: 1, retries: 1 },
      'Received again 3 s later: probably a retry, our first answer lost',
    ],
    [
      { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
      'Received again 66 s later: probably retry 2, our answer lost',
    ],
    [
      { kind: 'retry', secondsAfter: 69, from: 1, retries: 2 },
      'Received again 69 s later: probably retry 2, our answer lost and an attempt in between not arrived',
    ],
    [
      { kind: 'retry', secondsAfter: 800, from: 1, retries: 3 },
      'Received again 13 min 20 s later: probably retry 3, our answer lost and 2 attempts in between not arrived',
    ],
    [
      { kind: 'repeated', secondsAfter: 500 },
      'Received again 8 min 20 s later, with no other event in between',
    ],
    [
      { kind: 'retry', secondsAfter: 66, from: 2, retries: 1, undecided: true },
      'Received again 66 s later (retry or repeat)',
    ],
    [
      { kind: 'other-endpoint', secondsAfter: 66, undecided: true },
      'Received again via another endpoint 66 s later (retry or repeat)',
    ],
  ])('describes %j', (reason, words) => {
    expect(plainSpaces(deliveryReasonMessage(reason))).toBe(words)
  })
})

describe('money, time and ids', () => {
  it.each([
    ['4.76', 'EUR', '€4.76'],
    ['5', 'eur', '€5.00'],
    ['1.10', 'EUR', '€1.10'],
    ['1250.005', 'GBP', '£1,250.005'],
    ['500', 'JPY', '¥500'],
    ['5', 'usdc', '5 USDC'],
    ['340.00', 'USDC', '340.00 USDC'],
    ['0.0095', null, '0.0095'],
    ['-0', 'EUR', '€0.00'],
    ['-2.5', null, '-2.5'],
    ['12345678901234567890.123', null, '12,345,678,901,234,567,890.123'],
    ['1e3', 'EUR', '€1,000.00'],
    ['15e-1', null, '1.5'],
    ['5', '<b>', '5 <B>'],
  ])('writes %s %s as %s', (digits, currency, text) => {
    const amount = parseDecimal(digits)
    expect(amount && formatMoney(amount, currency)).toBe(text)
  })

  it('computes a rate, or none', () => {
    expect(computedRate('4.76', '5')).toBe('1.0504')
    expect(computedRate('0', '5')).toBeNull()
    const endless = parseDecimal('1e400')
    expect(endless && computedRate(endless, '5')).toBeNull()
  })

  it.each([
    [0.4, 'less than 1 s'],
    [48, '48 s'],
    [119, '119 s'],
    [120, '2 min'],
    [731, '12 min 11 s'],
    [4098, '68 min 18 s'],
    [46_658, '12 h 57 min'],
    [200_000, '2 d 7 h'],
  ])('writes %d s as %s', (seconds, text) => {
    expect(formatPlainDuration(seconds)).toBe(text)
  })

  it('lets no line end between a number and its unit', () => {
    expect(formatDuration(46_658)).toBe('12\u00a0h 57\u00a0min')
    expect(formatDuration(0.4)).toBe('less than 1\u00a0s')
  })

  it('shortens ids in the middle', () => {
    expect(shortId('2046967a-e17d-45b7-9cc9-a4c1b2ad1329')).toBe('2046967a…d1329')
    expect(shortId('0x26D0bFaa7de6f4D5A8f06bd2c7B0f35B3d708932')).toBe('0x26D0…8932')
    expect(shortId('short')).toBe('short')
  })
})
