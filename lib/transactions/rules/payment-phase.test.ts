import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Direction, directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { foldSamples, step, transactionUuid } from '../../../test/sample-deliveries.ts'
import { type PaymentPhase, paymentPhase } from './money.ts'
import { projectTransaction } from './transaction.ts'

describe('what is said of the money', () => {
  it.each<[Direction, string, string, string]>([
    ['fiatToCrypto', 'PENDING', 'expected', 'to-be-paid-out'],
    ['fiatToCrypto', 'IN_PROGRESS', 'received', 'to-be-paid-out'],
    ['fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED', 'received', 'on-its-way'],
    ['cryptoToFiat', 'FIAT_TRANSFER_ISSUED', 'received', 'on-its-way'],
    ['fiatToCrypto', 'SUCCESS', 'received', 'paid-out'],
    ['fiatToCrypto', 'ON_HOLD', 'unstated', 'to-be-paid-out'],
    ['cryptoToFiat', 'FAILED', 'unstated', 'was-to-be-paid-out'],
    ['cryptoToFiat', 'LIMIT_BREACHED', 'sent', 'was-to-be-paid-out'],
    ['fiatToCrypto', 'REFUNDED', 'unstated', 'was-to-be-paid-out'],
    ['fiatToCrypto', 'LIMIT_BREACHED', 'unstated', 'unstated'],
    ['cryptoToFiat', 'CRYPTO_TRANSFER_ISSUED', 'unstated', 'unstated'],
    ['fiatToCrypto', 'NEW_STEP', 'unstated', 'unstated'],
  ])('at %s %s: the amount in is %s, the amount out %s', (direction, at, receipt, payout) => {
    expect(paymentPhase({ direction, step: at, conflict: false })).toMatchObject({ receipt, payout })
  })

  it('says nothing without a direction, and nothing of outcomes that contradict each other', () => {
    const nothing = { receipt: 'unstated', payout: 'unstated', exchanged: false }
    expect(paymentPhase({ direction: null, step: 'SUCCESS', conflict: false })).toEqual(nothing)
    expect(paymentPhase({ direction: 'fiatToCrypto', step: 'SUCCESS', conflict: true })).toEqual(nothing)
  })

  it('knows of a receipt that was acknowledged before a hold, a failure and a refund', () => {
    for (const at of ['ON_HOLD', 'FAILED', 'REFUNDED']) {
      const standing = { direction: 'fiatToCrypto', step: at, conflict: false } as const
      expect(paymentPhase({ ...standing, passed: ['PENDING', 'IN_PROGRESS', at] }).receipt).toBe('received')
      expect(paymentPhase({ ...standing, passed: ['PENDING', 'FIAT_TRANSFER_ISSUED', at] }).receipt).toBe(
        'unstated',
      )
    }
  })

  it.each([
    ['ON_HOLD', 'to-be-paid-out'],
    ['FAILED', 'was-to-be-paid-out'],
    ['REFUNDED', 'was-to-be-paid-out'],
  ])('calls no payout planned at %s when its transfer was issued before', (at, planned) => {
    const payoutAfter = (direction: Direction, ...passed: string[]) =>
      paymentPhase({ direction, step: at, conflict: false, passed: [...passed, at] }).payout
    expect(payoutAfter('fiatToCrypto', 'PENDING', 'IN_PROGRESS')).toBe(planned)
    expect(payoutAfter('fiatToCrypto', 'FIAT_TRANSFER_ISSUED')).toBe(planned)
    for (const direction of directions)
      for (const step of [transferOf[direction], 'SUCCESS'])
        expect(payoutAfter(direction, 'IN_PROGRESS', step), step).toBe('unstated')
  })
})

describe('over every path of §3.2, at each of its steps', () => {
  it.each(directions)('%s: no path of up to three steps claims more than they say', (direction) => {
    for (const path of pathsOf(direction, 3)) checkEveryPrefix(direction, path)
  })

  it.each(directions)('%s: nor does a longer one, with steps that nobody knows', (direction) => {
    const anyStep = fc.constantFrom(...stepsOf[direction], 'NEW_STEP', 'LIMIT_BREACHED')
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 8 }), (path) => checkEveryPrefix(direction, path)),
      { numRuns: 300 },
    )
  })
})

/** The test checks each prefix of the contract's order of steps; §6.1, §6.2. */
function checkEveryPrefix(direction: Direction, path: readonly string[]) {
  for (let length = 1; length <= path.length; length++) {
    const steps = path.slice(0, length)
    const { phase, at, conflict } = phaseAfter(direction, steps)
    const reported = `${direction} ${steps.join(' > ')}, at ${at}`
    const finished = at === 'SUCCESS' && !conflict
    expect(phase.payout === 'paid-out', reported).toBe(finished)
    expect(phase.payout === 'on-its-way', reported).toBe(at === transferOf[direction] && !conflict)
    const issued = steps.some((one) => [transferOf[direction], 'SUCCESS'].includes(one))
    if (phase.payout.endsWith('to-be-paid-out')) expect(issued, reported).toBe(false)
    if (phase.receipt === 'received')
      expect(
        steps.some((one) => ['IN_PROGRESS', transferOf[direction], 'SUCCESS'].includes(one)),
        reported,
      ).toBe(true)
    if (phase.exchanged) expect(finished || at === transferOf[direction], reported).toBe(true)
    if (['FAILED', 'REFUNDED'].includes(at ?? '') && !conflict)
      expect(phase, reported).toMatchObject({
        payout: issued ? 'unstated' : 'was-to-be-paid-out',
        exchanged: false,
      })
    if (conflict || !stepsOf[direction].some((one) => one === at))
      expect(phase, reported).toEqual({ receipt: 'unstated', payout: 'unstated', exchanged: false })
  }
}

const transferOf = {
  fiatToCrypto: 'CRYPTO_TRANSFER_ISSUED',
  cryptoToFiat: 'FIAT_TRANSFER_ISSUED',
} as const

function phaseAfter(direction: Direction, steps: readonly string[]) {
  const bodies = steps.map((subType, at) => ({
    at: at * 50_000,
    body: { ...step(subType, { direction, at }), type: direction },
  }))
  const transaction = projectTransaction(foldSamples(bodies))
  if (!transaction) throw new Error(`no transaction ${transactionUuid}`)
  const { step: at, flags } = transaction
  const conflict = flags.includes('conflict')
  const phase: PaymentPhase = paymentPhase({ direction, step: at, conflict, passed: steps })
  return { phase, at, conflict }
}

/** The result is every sequence of up to `length` of the steps. */
function pathsOf(direction: Direction, length: number): string[][] {
  if (length === 0) return [[]]
  const shorter = pathsOf(direction, length - 1)
  return [
    ...shorter,
    ...shorter
      .filter((path) => path.length === length - 1)
      .flatMap((path) => stepsOf[direction].map((one) => [...path, one])),
  ]
}
