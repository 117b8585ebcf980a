import crypto from 'node:crypto'
import { expect, it } from 'vitest'
import { retrySpan, retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import { factsOf, type Sample, step, transaction } from '../../../test/sample-deliveries.ts'
import { foldSubject, rulesVersion } from './fold.ts'

// Thousands of short histories are drawn at the bounds of the rules, and the results are digested, so that a
// change of any rule is seen. Each rule also has its own test.

const about = { uuid: 'u', data: { uuid: 'a' } }
const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'x',
  ...about,
  data: { ...about.data, status },
})
const kyc = (status: string) => ({ type: 'KYC', subType: 'x', uuid: 'u', data: { status } })
const toFiat = (subType: string) => ({ ...step(subType), type: 'cryptoToFiat' })

interface Kind {
  readonly subject: Subject
  readonly bodies: readonly unknown[]
}

const kinds: Readonly<Record<string, Kind>> = {
  transaction: {
    subject: transaction,
    bodies: [
      step('PENDING'),
      step('IN_PROGRESS'),
      step('IN_PROGRESS', { status: 'RESUMED' }),
      step('IN_PROGRESS', { amountFiat: 2 }),
      step('IN_PROGRESS', { amountFiat: '2,5' }),
      step('ON_HOLD', { status: 'ON_HOLD_KYC' }),
      step('ON_HOLD', { status: 'ON_HOLD_PROCESS' }),
      step('CRYPTO_TRANSFER_ISSUED'),
      step('SUCCESS'),
      step('FAILED'),
      step('REFUNDED'),
      step('NEW'),
    ],
  },
  'held transaction': {
    subject: transaction,
    bodies: [
      step('PENDING'),
      step('IN_PROGRESS'),
      step('ON_HOLD'),
      step('ON_HOLD', { status: 'X' }),
      step('SUCCESS'),
    ],
  },
  'transaction of many types': {
    subject: transaction,
    bodies: [
      step('PENDING'),
      step('ON_HOLD'),
      step('SUCCESS'),
      toFiat('PENDING'),
      toFiat('ON_HOLD'),
      toFiat('REFUNDED'),
      { ...account('ACTIVE'), data: { ...step('').data, status: 'ACTIVE' } },
      { ...kyc('A'), data: { ...step('').data, status: 'A' } },
    ],
  },
  account: {
    subject: { kind: 'bank-account', id: 'a' },
    bodies: ['PENDING', 'CHECK_COMPLETED', 'ACTIVE', 'FAILED', 'DISABLED', 'NEW'].map(account),
  },
  'failing account': {
    subject: { kind: 'bank-account', id: 'a' },
    bodies: ['PENDING', 'FAILED', 'ACTIVE'].map(account),
  },
  verification: { subject: { kind: 'entity', id: 'u' }, bodies: ['A', 'B', 'C'].map(kyc) },
}

const histories = 3_000

/**
 * These are the digests of the timelines under this version of the rules. When they change, `rulesVersion` must be raised.
 */
const digests: Readonly<Record<string, string>> = {
  transaction: 'e71db07182a0baa8',
  'held transaction': '6a55c3342177ac06',
  'transaction of many types': 'b45f2f883420947e',
  account: '6400a26e7f7e17af',
  'failing account': '56892eeff4a64f74',
  verification: '6d6955596f5d68c3',
}

it.each(Object.entries(kinds))('timelines of a %s are those of this version', (name, kind) => {
  const draw = drawing(name.length)
  const timelines = Array.from({ length: histories }, () => outcomeOf(kind, drawHistory(draw, kind)))
  expect(crypto.hash('sha256', JSON.stringify([rulesVersion, timelines])).slice(0, 16)).toBe(digests[name])
})

/** A page or a list can show all of this. */
function outcomeOf({ subject }: Kind, samples: readonly Sample[]) {
  const { facts, envelopes } = factsOf(samples)
  const { events, status } = foldSubject(subject, facts, envelopes)
  return [
    status,
    events.map(({ envelope: _, deliveries, ...event }) => [
      event,
      deliveries.map(({ delivery, reason }) => [delivery.id, reason]),
    ]),
  ]
}

type Draw = <T>(from: readonly T[]) => T

/** The bounds are those of every run of waits of §6.8, one ms off either way, and of the rules' other limits. Seconds. */
const bounds = [
  ...[1, 2, 3, 4, 5, 6].flatMap((from) =>
    Array.from({ length: 7 - from }, (_, more) => retrySpan(from, more + 1)).flatMap(
      ({ earliest, waits, latest }) => [earliest, waits, latest],
    ),
  ),
  ...[1, 2, 3, retryWindowSeconds],
].flatMap((seconds) => [seconds - 0.001, seconds, seconds + 0.001])
const soon = [0, 0.4, 0.999, 1, 2, 2.999, 3, 3.001, 10, 37.9, 38, 38.1, 50, 69, 100]

function drawHistory(draw: Draw, { bodies }: Kind): Sample[] {
  const few = [draw(bodies), draw(bodies), draw(bodies)]
  const receivers = draw([['r1'], ['r1', 'r2'], ['r1', 'r2', 'r3']])
  let at = 0
  return Array.from({ length: draw([2, 3, 4, 5, 6]) }, (): Sample => {
    at = Math.round((at + draw([draw(soon), draw(soon), draw(bounds), 3_000])) * 1_000) / 1_000
    const before = (seconds: number) => Math.round((at - seconds) * 1_000) / 1_000
    const nothing = {
      refusedAt: [],
      offPeriods: [],
      earliestAttempt: null,
      otherReceivers: draw([0, 1, 2]),
    }
    return {
      at,
      body: draw(few),
      receiver: draw(receivers),
      answer: draw(['sure', 'sure', 'sure', 'unsure']),
      ...draw<Partial<Sample>>([
        {},
        nothing,
        nothing,
        { ...nothing, earliestAttempt: before(draw([...soon, draw(bounds)])) },
        { ...nothing, refusedAt: [before(draw(bounds)), before(draw([3, 69, 800]))] },
        { ...nothing, refusedAt: [before(draw([3, 2, 38, 38.001]))] },
        { ...nothing, offPeriods: [[before(draw([100, 1_000, 70_000])), before(draw([0, ...soon]))]] },
      ]),
    }
  })
}

/** The generator is mulberry32. */
function drawing(seed: number): Draw {
  let state = seed
  return (from) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    const drawn = from[((mixed ^ (mixed >>> 14)) >>> 0) % from.length]
    if (drawn === undefined) throw new Error('Nothing to draw from')
    return drawn
  }
}
