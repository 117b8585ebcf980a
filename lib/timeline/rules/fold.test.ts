import { describe, expect, it } from 'vitest'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import {
  factsOf,
  foldSamples,
  type Sample,
  start,
  step,
  transaction,
} from '../../../test/sample-deliveries.ts'
import { foldSubject, type SubjectEvent } from './fold.ts'
import { standingsOf } from './standing.ts'

const pending = step('PENDING')
const progress = step('IN_PROGRESS')
const issued = step('CRYPTO_TRANSFER_ISSUED')
const success = step('SUCCESS')
const failed = step('FAILED')
const hold = step('ON_HOLD', { status: 'ON_HOLD_KYC' })
const refunded = step('REFUNDED')
const unknownStep = step('SOMETHING_NEW')
const bankAccount: Subject = { kind: 'bank-account', id: 'a' }
const user: Subject = { kind: 'entity', id: 'u' }
const kyc = (status: string) => ({ type: 'KYC', subType: 'statusUpdate', uuid: 'u', data: { status } })
const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'statusUpdate',
  uuid: 'u',
  data: { uuid: 'a', status },
})

/** The same bodies come through two endpoints, half a second apart. */
const both = (...bodies: [at: number, body: unknown][]): Sample[] =>
  bodies.flatMap(([at, body]) => [
    { at, body },
    { at: at + 0.5, body, receiver: 'r2' },
  ])

describe('the order of the timeline', () => {
  it.each<{ name: string; bodies: unknown[]; steps: string[]; late: string[] }>([
    {
      name: 'is the order of arrival when that can be true',
      bodies: [pending, progress, hold, progress, issued, success],
      steps: ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'],
      late: [],
    },
    {
      name: 'puts a late step before the first of higher rank',
      bodies: [pending, issued, success, progress],
      steps: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'],
      late: ['IN_PROGRESS'],
    },
    {
      name: 'puts two late steps in their own order, whichever arrived first',
      bodies: [issued, progress, pending],
      steps: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED'],
      late: ['PENDING', 'IN_PROGRESS'],
    },
    {
      name: 'puts two late steps in their own order, the other way round',
      bodies: [issued, pending, progress],
      steps: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED'],
      late: ['PENDING', 'IN_PROGRESS'],
    },
    {
      name: 'leaves a hold and an unknown step where they arrived',
      bodies: [pending, unknownStep, issued, hold, success],
      steps: ['PENDING', 'SOMETHING_NEW', 'CRYPTO_TRANSFER_ISSUED', 'ON_HOLD', 'SUCCESS'],
      late: [],
    },
    {
      name: 'puts a hold before the outcome that arrived ahead of it, for nothing finished is paused',
      bodies: [pending, success, hold, unknownStep],
      steps: ['PENDING', 'ON_HOLD', 'SUCCESS', 'SOMETHING_NEW'],
      late: ['ON_HOLD'],
    },
    {
      name: 'puts the creation before all else, holds included',
      bodies: [hold, unknownStep, pending, progress],
      steps: ['PENDING', 'ON_HOLD', 'SOMETHING_NEW', 'IN_PROGRESS'],
      late: ['PENDING'],
    },
    {
      name: 'leaves a step that came again after a hold where it arrived',
      bodies: [pending, hold, { ...pending, again: 1 }, progress],
      steps: ['PENDING', 'ON_HOLD', 'PENDING', 'IN_PROGRESS'],
      late: [],
    },
    {
      name: 'puts an outcome before the refund that arrived ahead of it',
      bodies: [refunded, failed],
      steps: ['FAILED', 'REFUNDED'],
      late: ['FAILED'],
    },
  ])('$name', ({ bodies, steps, late }) => {
    const { events } = foldSamples(bodies.map((body, index) => ({ at: index * 2000, body })))
    expect(events.map((event) => event.envelope.subType)).toEqual(steps)
    expect(events.map((event) => event.position)).toEqual(events.keys().toArray())
    expect(
      events.filter((event) => event.flags.includes('late')).map((event) => event.envelope.subType),
    ).toEqual(late)
  })

  it.each([
    {
      type: 'fiatToCrypto',
      path: ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED'],
      ends: ['SUCCESS', 'FAILED'],
    },
    {
      type: 'cryptoToFiat',
      path: ['PENDING', 'IN_PROGRESS', 'FIAT_TRANSFER_ISSUED'],
      ends: ['SUCCESS', 'FAILED', 'LIMIT_BREACHED'],
    },
  ])(
    'of $type puts each step before every end, and each end before the refund (§6.1, §6.2)',
    ({ type, path, ends }) => {
      const pairs = ends.flatMap((end) => [...path.map((earlier) => [earlier, end]), [end, 'REFUNDED']])
      for (const pair of pairs) {
        const bodies = pair.toReversed().map((name) => ({ ...step(name ?? ''), type }))
        const { events } = foldSamples(bodies.map((body, index) => ({ at: index * 2000, body })))
        expect(events.map((event) => event.envelope.subType)).toEqual(pair)
      }
    },
  )

  it.each<{ name: string; samples: Sample[]; steps: string[] }>([
    {
      name: 'leaves the first progress after a hold where it arrived',
      samples: both([0, pending], [40, hold], [90, progress]),
      steps: ['PENDING', 'ON_HOLD', 'IN_PROGRESS'],
    },
    {
      name: 'puts it before the hold when it reached two endpoints at different times: attempts had failed',
      samples: [
        ...both([0, pending], [40, hold]),
        { at: 90, body: progress },
        { at: 97, body: progress, receiver: 'r2' },
      ],
      steps: ['PENDING', 'IN_PROGRESS', 'ON_HOLD'],
    },
    {
      name: 'leaves it where it arrived when the hold had been ended before',
      samples: [
        ...both([0, pending], [40, hold], [45, { ...pending, again: 1 }]),
        { at: 90, body: progress },
        { at: 97, body: progress, receiver: 'r2' },
      ],
      steps: ['PENDING', 'ON_HOLD', 'PENDING', 'IN_PROGRESS'],
    },
    {
      name: 'puts what is late before a progress that was put before the hold',
      samples: [
        ...both([0, pending], [40, hold]),
        { at: 90, body: progress },
        { at: 97, body: progress, receiver: 'r2' },
        { at: 120, body: { ...pending, again: 1 } },
      ],
      steps: ['PENDING', 'PENDING', 'IN_PROGRESS', 'ON_HOLD'],
    },
    {
      name: 'leaves it where it arrived when a second creation had overtaken the hold',
      samples: [
        { at: 0, body: pending },
        { at: 50, body: { ...pending, again: 1 } },
        { at: 76, body: hold, refusedAt: [7, 10] },
        { at: 90, body: progress },
        { at: 97, body: progress, receiver: 'r2' },
      ],
      steps: ['PENDING', 'ON_HOLD', 'PENDING', 'IN_PROGRESS'],
    },
    {
      name: 'puts it before the hold when the creation had been late as well',
      samples: both([40, hold], [80, pending], [90, progress]),
      steps: ['PENDING', 'IN_PROGRESS', 'ON_HOLD'],
    },
    {
      name: 'leaves it where it arrived when the hold was too long ago',
      samples: both([40, hold], [80, pending], [990, progress]),
      steps: ['PENDING', 'ON_HOLD', 'IN_PROGRESS'],
    },
    {
      name: 'leaves it where it arrived when there had been progress before the hold',
      samples: both([40, hold], [45, progress], [80, pending], [90, { ...progress, again: 1 }]),
      steps: ['PENDING', 'ON_HOLD', 'IN_PROGRESS', 'IN_PROGRESS'],
    },
  ])('$name', ({ samples, steps }) => {
    expect(foldSamples(samples).events.map((event) => event.envelope.subType)).toEqual(steps)
  })

  it('states before which time a late event happened, also when several are late', () => {
    const { events } = foldSamples([
      { at: 0, body: issued },
      { at: 30, body: progress },
      { at: 60, body: pending },
    ])
    expect(
      events.map(({ envelope, placedBefore, firstReceivedAt }) => [
        envelope.subType,
        placedBefore,
        firstReceivedAt,
      ]),
    ).toEqual([
      ['PENDING', start, start + 60_000],
      ['IN_PROGRESS', start, start + 30_000],
      ['CRYPTO_TRANSFER_ISSUED', null, start],
    ])
  })

  it('does not flag the order of a hold as unsure', () => {
    const { events } = foldSamples([
      { at: 0, body: unknownStep },
      { at: 20, body: hold },
    ])
    expect(events.map((event) => event.flags)).toEqual([[], []])
  })

  it('marks two holds that our own downtime may have put in the wrong order', () => {
    const flags = (earliestAttempt: number | null) =>
      foldSamples([
        { at: 0, body: pending },
        { at: 60, body: progress },
        { at: 400, body: hold },
        { at: 420, body: step('ON_HOLD', { status: 'ON_HOLD_PROCESS' }), earliestAttempt },
      ]).events.at(-1)?.flags
    expect(flags(350)).toEqual(['decisive', 'order-unsure'])
    expect(flags(410)).toEqual([])
    expect(flags(null)).toEqual([])
  })

  it('marks the order of states without rank when one retry could explain it', () => {
    const flags = (samples: Sample[]) => foldSamples(samples, user).events.map((event) => event.flags)
    expect(
      flags([
        { at: 0, body: kyc('A') },
        { at: 20, body: kyc('B') },
      ]),
    ).toEqual([[], ['decisive', 'order-unsure']])
    expect(
      flags([
        { at: 0, body: kyc('A') },
        { at: 50, body: kyc('B') },
      ]),
    ).toEqual([[], []])
    const repeated = [
      { at: 0, body: kyc('A') },
      { at: 50, body: kyc('B') },
      { at: 66, body: kyc('A') },
    ]
    // Only one endpoint reports it: the event counts, with a doubt.
    expect(flags(repeated)).toEqual([[], [], ['decisive', 'order-unsure', 'repeat-unsure']])
    const elsewhere = repeated.map((sample, index) => ({ ...sample, receiver: index === 2 ? 'r2' : 'r1' }))
    // The event never reached that endpoint before: attempts there may have failed.
    expect(flags(elsewhere)).toEqual([['decisive'], ['decisive', 'repeat-unsure']])
  })
})

describe('after the retry window', () => {
  const [minute, hour, day] = [60, 3_600, 86_400]
  const stateOf = (event?: SubjectEvent) => event?.envelope.data?.get('status') ?? event?.envelope.subType
  const states = (samples: readonly Sample[], subject: Subject = transaction) => {
    const { events, status } = foldSamples(samples, subject)
    expect(events.flatMap(({ flags }) => flags)).toEqual([])
    return { order: events.map(stateOf), now: stateOf(events.find(({ id }) => id === status.eventId)) }
  }

  it.each<{ name: string; steps: [at: number, body: ReturnType<typeof step>][] }>([
    {
      name: 'progress two days after a failure',
      steps: [
        [0, pending],
        [60, progress],
        [hour, failed],
        [2 * day, step('IN_PROGRESS', { amountFiat: 5 })],
      ],
    },
    {
      name: 'the same progress two days after a failure',
      steps: [
        [0, pending],
        [60, progress],
        [hour, failed],
        [2 * day, progress],
      ],
    },
    {
      name: 'success two days after a refund',
      steps: [
        [0, pending],
        [hour, refunded],
        [2 * day + hour, success],
      ],
    },
    {
      name: 'progress two days after the transfer was issued',
      steps: [
        [0, pending],
        [60, issued],
        [2 * day, progress],
      ],
    },
    {
      name: 'the first creation a day after progress',
      steps: [
        [0, progress],
        [day, pending],
      ],
    },
    {
      name: 'a hold a day after success',
      steps: [
        [0, pending],
        [60, success],
        [day + 60, hold],
      ],
    },
    {
      name: 'the same creation five minutes after progress, at no retry wait',
      steps: [
        [0, pending],
        [60, progress],
        [60 + 5 * minute, pending],
      ],
    },
  ])('$name happened after it, without a doubt', ({ steps }) => {
    const said = steps.map(([, { subType, data }]) => ('status' in data ? data.status : subType))
    const samples = steps.map(([at, body]) => ({ at, body, earliestAttempt: null, otherReceivers: 0 }))
    expect(states(samples)).toEqual({ order: said, now: said.at(-1) })
  })

  it.each([
    [
      [0, 'PENDING'],
      [hour, 'ACTIVE'],
      [10 * day, 'DISABLED'],
      [11 * day, 'PENDING'],
    ],
    [
      [0, 'WAITING_CREATION'],
      [hour, 'DISABLED'],
      [3 * day, 'WAITING_CREATION'],
      [4 * day, 'ACTIVE'],
    ],
    [
      [0, 'ACTIVE'],
      [day, 'CHECK_COMPLETED'],
    ],
  ] as [number, string][][])('so does the state of an account: %j', (...given) => {
    const samples = given.map(([at, status]) => ({
      at,
      body: account(status),
      earliestAttempt: null,
      otherReceivers: 0,
    }))
    const said = given.map(([, status]) => status)
    expect(states(samples, { kind: 'bank-account', id: 'a' })).toEqual({ order: said, now: said.at(-1) })
  })

  it.each<{ name: string; bodyOf: (state: string) => unknown; known: string[] }>([
    { name: 'an active account', bodyOf: account, known: ['ACTIVE'] },
    { name: 'an account that was disabled', bodyOf: account, known: ['PENDING', 'ACTIVE', 'DISABLED'] },
    { name: 'progress', bodyOf: step, known: ['PENDING', 'IN_PROGRESS'] },
    { name: 'a hold', bodyOf: step, known: ['PENDING', 'ON_HOLD'] },
    { name: 'an outcome', bodyOf: step, known: ['PENDING', 'SUCCESS'] },
    { name: 'another such state', bodyOf: step, known: ['PENDING', 'ANOTHER'] },
  ])('a state that no rule knows is the status after $name, and only a doubt before', ({ bodyOf, known }) => {
    const nowAndMarked = (...states: [at: number, state: string][]) => {
      const all = [...known.map((state, index): [number, string] => [index * 60, state]), ...states]
      const samples = all.map(([at, state]) => ({
        at,
        body: bodyOf(state),
        earliestAttempt: null,
        otherReceivers: 0,
      }))
      const { events, status } = foldSamples(samples, bodyOf === account ? bankAccount : transaction)
      const marked = events.filter(({ flags }) => flags.includes('decisive'))
      const doubts = marked.map((event) => [stateOf(event), ...event.flags].join(' '))
      return [bodyOf === account ? status.reason : status.subType, ...doubts]
    }
    const since = (known.filter((state) => state !== 'ANOTHER').length - 1) * 60
    const last = known.findLast((state) => state !== 'ANOTHER') ?? ''
    const [soon, late] = [since + retryWindowSeconds - 1, since + retryWindowSeconds]
    const atOnce = (known.length - 1) * 60 + 0.5
    for (const at of [atOnce, soon])
      expect(nowAndMarked([at, 'NEW'])).toEqual([last, 'NEW decisive order-unsure'])
    expect(nowAndMarked([late, 'NEW'])).toEqual(['NEW'])
    expect(nowAndMarked([soon, 'NEW'], [late, 'NEWER'])).toEqual(['NEWER'])
    expect(nowAndMarked([late, 'NEW'], [late + day, last])).toEqual([last])
  })

  it('a state that no rule knows counts only for its own type', () => {
    const other = (status: string) => ({ ...account(status), type: 'unblockBankAccount' })
    const { events, status } = foldSamples(
      [account('ACTIVE'), other('PENDING'), other('CLOSED')].map((body, index) => ({
        at: index * day,
        body,
      })),
      bankAccount,
    )
    expect(status.reason).toBe('ACTIVE')
    expect(standingsOf({ subject: bankAccount, events, status }).map(({ state }) => state)).toEqual([
      'ACTIVE',
      'CLOSED',
    ])
  })

  it('compares what follows with what began anew', () => {
    const { events } = foldSamples([
      { at: 0, body: progress },
      { at: hour, body: failed },
      { at: 2 * day, body: { ...progress, again: 1 } },
      { at: 2 * day + minute, body: issued },
      { at: 2 * day + hour, body: success },
    ])
    expect(events.map(({ envelope }) => envelope.subType)).toEqual([
      'IN_PROGRESS',
      'FAILED',
      'IN_PROGRESS',
      'CRYPTO_TRANSFER_ISSUED',
      'SUCCESS',
    ])
  })

  it('still puts what a retry may have brought before a step of higher rank', () => {
    const order = (at: number) =>
      foldSamples([
        { at: 0, body: success },
        { at, body: issued },
      ]).events.map(({ envelope }) => envelope.subType)
    expect(order(retryWindowSeconds - 1)).toEqual(['CRYPTO_TRANSFER_ISSUED', 'SUCCESS'])
    expect(order(retryWindowSeconds)).toEqual(['SUCCESS', 'CRYPTO_TRANSFER_ISSUED'])
  })

  it.each([
    { name: 'one lost attempt explains it', at: 460 + 20, evidence: {} },
    { name: 'our own downtime explains it', at: 2000, evidence: { earliestAttempt: 450 } },
  ])('puts a step that happened again before one of higher rank when $name', ({ at, evidence }) => {
    const { events } = foldSamples([
      { at: 0, body: pending },
      { at: 60, body: progress },
      { at: 100, body: hold },
      { at: 460, body: issued },
      { at, body: progress, otherReceivers: 0, ...evidence },
    ])
    expect(events.map(({ envelope }) => envelope.subType).slice(-2)).toEqual([
      'IN_PROGRESS',
      'CRYPTO_TRANSFER_ISSUED',
    ])
  })
})

describe('where a subject stands', () => {
  it.each<{ name: string; bodies: unknown[]; step: string; conflict?: boolean }>([
    { name: 'at the highest step reached', bodies: [pending, success, progress, issued], step: 'SUCCESS' },
    { name: 'on hold while nothing followed', bodies: [pending, progress, hold], step: 'ON_HOLD' },
    { name: 'on hold though a late creation followed', bodies: [hold, pending], step: 'ON_HOLD' },
    {
      name: 'on, once a step followed the hold',
      bodies: [progress, hold, issued],
      step: 'CRYPTO_TRANSFER_ISSUED',
    },
    {
      name: 'pending again after a hold',
      bodies: [pending, hold, { ...pending, again: 1 }],
      step: 'PENDING',
    },
    { name: 'on hold again', bodies: [progress, hold, progress, { ...hold, again: 1 }], step: 'ON_HOLD' },
    { name: 'finished, though a hold arrived later', bodies: [progress, success, hold], step: 'SUCCESS' },
    { name: 'refunded after failing', bodies: [failed, refunded], step: 'REFUNDED' },
    { name: 'refunded, though the failure arrived later', bodies: [refunded, failed], step: 'REFUNDED' },
    {
      name: 'in conflict at the outcome that arrived last',
      bodies: [success, failed],
      step: 'FAILED',
      conflict: true,
    },
    { name: 'in conflict the other way round', bodies: [failed, success], step: 'SUCCESS', conflict: true },
    { name: 'refunded, out of the conflict', bodies: [success, failed, refunded], step: 'REFUNDED' },
    { name: 'pending, whatever an unknown step says', bodies: [pending, unknownStep], step: 'PENDING' },
    { name: 'at an unknown step when it knows no other', bodies: [unknownStep], step: 'SOMETHING_NEW' },
    {
      name: 'at its own step, not at what else is said of it',
      bodies: [pending, { ...pending, type: 'AML', subType: 'CHECK' }],
      step: 'PENDING',
    },
  ])('$name', ({ bodies, step: expected, conflict = false }) => {
    const { status } = foldSamples(bodies.map((body, index) => ({ at: index * 2000, body })))
    expect(status).toMatchObject({ subType: expected, conflict })
  })

  it.each([
    ['PENDING', 'ACTIVE', 'ACTIVE'],
    ['ACTIVE', 'PENDING', 'ACTIVE'],
    ['CHECK_COMPLETED', 'PENDING', 'CHECK_COMPLETED'],
    ['ACTIVE', 'DISABLED', 'DISABLED'],
    ['DISABLED', 'ACTIVE', 'ACTIVE'],
  ])('an account with the statuses %s, then %s is %s, and never in conflict', (first, second, status) => {
    const fold = foldSamples(
      [first, second].map((state, index) => ({ at: index * 2000, body: account(state) })),
      { kind: 'bank-account', id: 'a' },
    )
    expect(fold.status).toMatchObject({ reason: status, conflict: false })
  })

  it.each([
    [['WAITING_CREATION', 'FAILED_CREATION', 'WAITING_CREATION'], 'WAITING_CREATION'],
    [['WAITING_CREATION', 'FAILED_CREATION', 'WAITING_CREATION', 'ACTIVE'], 'ACTIVE'],
    [['PENDING', 'CHECK_COMPLETED', 'FAILED', 'PENDING', 'CHECK_COMPLETED'], 'CHECK_COMPLETED'],
    [['PENDING', 'ACTIVE', 'CHECK_COMPLETED'], 'ACTIVE'],
  ])('an account with the statuses %j is %s: a failed creation is retried', (states, status) => {
    const fold = foldSamples(
      states.map((state, index) => ({ at: index * 2000, body: account(state) })),
      { kind: 'bank-account', id: 'a' },
    )
    expect(fold.status).toMatchObject({ reason: status, conflict: false })
  })

  it('an account whose creation arrives just after its failure is failed, with an unsure order', () => {
    const fold = (samples: Sample[]) => foldSamples(samples, { kind: 'bank-account', id: 'a' })
    const late = fold([
      { at: 0, body: account('FAILED_CREATION') },
      { at: 20, body: account('WAITING_CREATION') },
    ])
    expect(late.status.reason).toBe('FAILED_CREATION')
    expect(late.events[0]?.flags).toEqual(['decisive', 'late'])
  })

  it('an account whose creation is sent within a second of its failure is failed, though both endpoints say otherwise', () => {
    const fold = (seconds: number) =>
      foldSamples(
        [
          { at: 0, body: account('FAILED_CREATION'), otherReceivers: 1 },
          { at: 0.01, body: account('FAILED_CREATION'), receiver: 'r2', otherReceivers: 1 },
          { at: seconds, body: account('WAITING_CREATION'), otherReceivers: 1 },
          { at: seconds + 0.01, body: account('WAITING_CREATION'), receiver: 'r2', otherReceivers: 1 },
        ],
        { kind: 'bank-account', id: 'a' },
      )
    expect(fold(0.08).status.reason).toBe('FAILED_CREATION')
    expect(fold(0.08).events[0]?.flags).toEqual(['decisive', 'late'])
    expect(fold(2).status.reason).toBe('WAITING_CREATION')
  })

  it('flags an account whose last status may be older, because our downtime reaches back before the other', () => {
    const flags = (earliestAttempt: number | null) =>
      foldSamples(
        [
          { at: 0, body: account('PENDING'), earliestAttempt: null },
          { at: 1000, body: account('ACTIVE'), earliestAttempt: null },
          { at: 2000, body: account('DISABLED'), earliestAttempt },
        ],
        { kind: 'bank-account', id: 'a' },
      ).events.map((event) => event.flags)
    expect(flags(null)).toEqual([[], [], []])
    expect(flags(900)).toEqual([[], [], ['decisive', 'order-unsure']])
    expect(flags(1500)).toEqual([[], [], []])
  })

  it('places an event that was refused at first before the events that happened since', () => {
    const { events, status } = foldSamples(
      [
        { at: 0, body: account('PENDING') },
        { at: 50, body: account('DISABLED') },
        { at: 80, body: account('ACTIVE'), refusedAt: [11, 14] },
      ],
      { kind: 'bank-account', id: 'a' },
    )
    expect(status.reason).toBe('DISABLED')
    expect(events.map(({ flags }) => flags)).toEqual([[], ['decisive', 'late'], []])
  })

  it('takes PENDING as the end of a hold when the creation may have been missed', () => {
    const stepWith = (offPeriods: [number, number][]) =>
      foldSamples([
        { at: 0, body: hold, offPeriods },
        { at: 500, body: pending, offPeriods },
      ]).status.subType
    expect(stepWith([[-1e6, -50]])).toBe('PENDING')
    expect(stepWith([])).toBe('ON_HOLD')
  })

  const toFiat = (subType: string) => ({ ...step(subType), type: 'cryptoToFiat' })
  const accountOfTransaction = { ...account('ACTIVE'), data: { ...step('').data, status: 'ACTIVE' } }

  it.each<{ name: string; bodies: unknown[]; expected: { type: string; subType: string } }>([
    {
      name: 'by the direction that began last, although the other has finished',
      bodies: [pending, success, toFiat('PENDING'), toFiat('IN_PROGRESS')],
      expected: { type: 'cryptoToFiat', subType: 'IN_PROGRESS' },
    },
    {
      name: 'by the direction that began last, although the other says something after it',
      bodies: [pending, toFiat('PENDING'), progress, hold],
      expected: { type: 'cryptoToFiat', subType: 'PENDING' },
    },
    {
      name: 'by its direction and no account, which has another rank',
      bodies: [pending, progress, accountOfTransaction],
      expected: { type: 'fiatToCrypto', subType: 'IN_PROGRESS' },
    },
    {
      name: 'by its direction although an account was there before it, and ranks above it',
      bodies: [accountOfTransaction, pending],
      expected: { type: 'fiatToCrypto', subType: 'PENDING' },
    },
    {
      name: 'by whatever there is while no direction has come',
      bodies: [accountOfTransaction],
      expected: { type: 'linkBankAccount', subType: 'statusUpdate' },
    },
  ])('a transaction stands $name', ({ bodies, expected }) => {
    const { status } = foldSamples(bodies.map((body, index) => ({ at: index * 2000, body })))
    expect(status).toMatchObject(expected)
  })

  it('outcomes of both directions of one id do not contradict each other', () => {
    const conflicts = (...bodies: unknown[]) =>
      foldSamples(bodies.map((body, index) => ({ at: index * 2000, body }))).events.flatMap(
        ({ envelope: { type, subType }, flags }) =>
          flags.includes('conflict') ? [`${type} ${subType}`] : [],
      )
    expect(conflicts(success, toFiat('FAILED'))).toEqual([])
    expect(conflicts(success, toFiat('FAILED'), failed)).toEqual([
      'fiatToCrypto SUCCESS',
      'fiatToCrypto FAILED',
    ])
  })

  it('says that amounts of one step may be in the wrong order when attempts had failed', () => {
    const flags = (earliestAttempt: number | null, amountFiat: number) =>
      foldSamples([
        { at: 0, body: pending, earliestAttempt: null },
        { at: 1000, body: step('IN_PROGRESS', { amountFiat: 10 }), earliestAttempt: null },
        { at: 2000, body: step('IN_PROGRESS', { amountFiat }), earliestAttempt },
      ]).events.at(-1)?.flags
    expect(flags(900, 12)).toEqual(['decisive', 'order-unsure'])
    expect(flags(null, 12)).toEqual([])
    expect(flags(1500, 12)).toEqual([])
    expect(flags(900, 10)).not.toContain('order-unsure')
  })

  it('an account stands by the highest rank of any of its types, and by the last among equals', () => {
    const fiatAccount = (status: string) => ({ ...account(status), type: 'unblockBankAccount' })
    const stands = (...bodies: unknown[]) =>
      foldSamples(
        bodies.map((body, index) => ({ at: index * 2000, body })),
        { kind: 'bank-account', id: 'a' },
      ).status
    expect(stands(account('ACTIVE'), fiatAccount('WAITING_CREATION'))).toMatchObject({
      reason: 'ACTIVE',
      rank: 2,
    })
    expect(stands(account('PENDING'), fiatAccount('ACTIVE'))).toMatchObject({ reason: 'ACTIVE', rank: 2 })
    expect(stands(account('ACTIVE'), fiatAccount('DISABLED'))).toMatchObject({ reason: 'DISABLED', rank: 2 })
  })

  it('leaves what was refused at first where it arrived among the events of other types', () => {
    const { events } = foldSamples(
      [
        { at: 0, body: kyc('A') },
        { at: 20, body: { ...kyc('X'), type: 'AML' } },
        { at: 21, body: kyc('B'), refusedAt: [18] },
      ],
      user,
    )
    expect(events.map(({ envelope }) => envelope.type)).toEqual(['KYC', 'AML', 'KYC'])
  })

  it('puts a creation before all else when more than a hold came before it, although its receiver was away', () => {
    const { events } = foldSamples([
      { at: 0, body: progress, offPeriods: [[-1e6, -50]] },
      { at: 500, body: hold, offPeriods: [[-1e6, -50]] },
      { at: 1000, body: pending, offPeriods: [[-1e6, -50]] },
    ])
    expect(events.map(({ envelope }) => envelope.subType)).toEqual(['PENDING', 'IN_PROGRESS', 'ON_HOLD'])
  })

  it('a user has the status of the last arrival', () => {
    const fold = foldSamples(
      [
        { at: 0, body: kyc('A') },
        { at: 500, body: kyc('B') },
      ],
      user,
    )
    expect(fold.status).toMatchObject({ reason: 'B', rank: null })
  })

  it('shows an unreadable delivery as an event that says nothing', () => {
    const { facts } = factsOf([{ at: 0, body: pending }])
    const fold = foldSubject({ kind: 'unknown', id: 'f' }, facts, new Map())
    expect(fold.events).toMatchObject([{ envelope: { type: null, data: null }, rank: null, flags: [] }])
    expect(fold.status).toMatchObject({ type: null, subType: null, reason: null })
  })

  it('has no status without facts', () => {
    expect(foldSubject(transaction, [], new Map())).toMatchObject({
      events: [],
      status: { eventId: null, conflict: false, rank: null },
    })
  })
})
