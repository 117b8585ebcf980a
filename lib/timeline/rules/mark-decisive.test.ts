import { expect, it } from 'vitest'
import { amountField } from '#lib/deliveries/rules/envelope.ts'
import { foldSamples, type Sample, step } from '../../../test/sample-deliveries.ts'

const kyc = (status: string) => ({ type: 'KYC', subType: 'statusUpdate', uuid: 'u', data: { status } })
const aml = (status: string) => ({ type: 'AML', subType: 'statusUpdate', uuid: 'u', data: { status } })
const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'statusUpdate',
  uuid: 'u',
  data: { uuid: 'a', status },
})
const hold = step('ON_HOLD', { status: 'ON_HOLD_KYC' })
const [pending, progress, success, refunded] = [
  step('PENDING'),
  step('IN_PROGRESS'),
  step('SUCCESS'),
  step('REFUNDED'),
]

/** The doubts about each event are in the timeline's order; an exclamation mark means that the status depends on it. */
function doubts(samples: readonly Sample[]): string[] {
  const { events } = foldSamples(samples)
  return events.map(({ envelope, flags, cameAgainAt }) => {
    const unsure = flags.filter((flag) => flag !== 'decisive')
    const again = cameAgainAt === null ? [] : ['came-again']
    const state = envelope.data?.get('status') ?? envelope.subType
    return `${state} ${[...unsure, ...again].join()}${flags.includes('decisive') ? '!' : ''}`.trim()
  })
}

it.each<{ name: string; samples: Sample[]; says: string[] }>([
  {
    name: 'two states of which the other would be the current',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
    ],
    says: ['A', 'B order-unsure!'],
  },
  {
    name: 'not two states that another has followed since',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
      { at: 30, body: kyc('C') },
      { at: 300, body: kyc('D') },
    ],
    says: ['A', 'B order-unsure', 'C order-unsure', 'D'],
  },
  {
    name: 'two states of one type, whatever other types have said since',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
      { at: 300, body: aml('C') },
    ],
    says: ['A', 'B order-unsure!', 'C'],
  },
  {
    name: 'not a step that is late behind a higher one',
    samples: [
      { at: 0, body: pending },
      { at: 100, body: success },
      { at: 200, body: progress },
    ],
    says: ['PENDING', 'IN_PROGRESS late', 'SUCCESS'],
  },
  {
    name: 'not an outcome that is late behind its refund',
    samples: [
      { at: 0, body: refunded },
      { at: 100, body: step('FAILED') },
    ],
    says: ['FAILED late', 'REFUNDED'],
  },
  {
    name: 'a hold that is told after an outcome',
    samples: [
      { at: 0, body: pending },
      { at: 100, body: success },
      { at: 200, body: hold },
    ],
    says: ['PENDING', 'ON_HOLD_KYC late!', 'SUCCESS'],
  },
  {
    name: 'a creation that may have been the end of the hold which stands',
    samples: [
      { at: 0, body: hold },
      { at: 100, body: pending },
    ],
    says: ['PENDING late!', 'ON_HOLD_KYC'],
  },
  {
    name: 'not that creation once the transaction has gone on',
    samples: [
      { at: 0, body: hold },
      { at: 100, body: pending },
      { at: 2000, body: success },
    ],
    says: ['PENDING late', 'ON_HOLD_KYC', 'SUCCESS'],
  },
  {
    name: 'a failed creation that was perhaps created once more',
    samples: [
      { at: 0, body: account('FAILED_CREATION') },
      { at: 20, body: account('WAITING_CREATION') },
    ],
    says: ['WAITING_CREATION late!', 'FAILED_CREATION'],
  },
  {
    name: 'not an account that is told a lower state late',
    samples: [
      { at: 0, body: account('PENDING') },
      { at: 100, body: account('ACTIVE') },
      { at: 2000, body: account('CHECK_COMPLETED') },
    ],
    says: ['PENDING', 'CHECK_COMPLETED late', 'ACTIVE'],
  },
  {
    name: 'a state that came back, or was sent once more',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 50, body: kyc('B') },
      { at: 66, body: kyc('A'), otherReceivers: 1 },
    ],
    says: ['A came-again!', 'B order-unsure,repeat-unsure!'],
  },
  {
    name: 'not that state once something else has followed',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 50, body: kyc('B') },
      { at: 66, body: kyc('A'), otherReceivers: 1 },
      { at: 900, body: kyc('C') },
    ],
    says: ['A came-again', 'B order-unsure,repeat-unsure', 'C'],
  },
  {
    name: 'a state that one endpoint alone tells again',
    samples: [
      { at: 0, body: kyc('A'), otherReceivers: 0 },
      { at: 50, body: kyc('B'), otherReceivers: 0 },
      { at: 66, body: kyc('A'), otherReceivers: 0 },
    ],
    says: ['A', 'B', 'A repeat-unsure,came-again!'],
  },
])('$name', ({ samples, says }) => {
  expect(doubts(samples)).toEqual(says)
})

/** All is known of the receiver: no other gets this type, and no attempt failed unless a sample says so. */
const inQuiet = (samples: readonly Sample[]) =>
  doubts(samples.map((sample) => ({ otherReceivers: 0, earliestAttempt: null, ...sample })))

const progress52 = { at: 52, body: progress }
const issued = step('CRYPTO_TRANSFER_ISSUED')

it.each<{ name: string; samples: Sample[]; says: string[] }>([
  {
    name: 'an account, 28 s later',
    samples: [
      { at: 0, body: account('ACTIVE'), answer: 'unsure' },
      { at: 28, body: account('ACTIVE') },
      { at: 79, body: account('DISABLED'), earliestAttempt: 7 },
    ],
    says: ['ACTIVE', 'DISABLED order-unsure!'],
  },
  {
    name: 'a verification, at no wait',
    samples: [
      { at: 0, body: kyc('FULL_USER'), answer: 'unsure' },
      { at: 222, body: kyc('FULL_USER') },
      { at: 812, body: kyc('SUSPENDED'), earliestAttempt: 5 },
    ],
    says: ['FULL_USER', 'SUSPENDED order-unsure!'],
  },
  {
    name: 'a creation, before a failure',
    samples: [
      { at: 0, body: account('PENDING'), answer: 'unsure' },
      { at: 273, body: account('PENDING') },
      { at: 829, body: account('FAILED'), earliestAttempt: 5 },
    ],
    says: ['PENDING', 'FAILED order-unsure!'],
  },
  {
    name: 'a hold, before the step that ended it',
    samples: [
      { at: 0, body: pending },
      progress52,
      { at: 171, body: hold, answer: 'unsure' },
      { at: 300, body: hold },
      { at: 320, body: issued, earliestAttempt: 176 },
    ],
    says: ['PENDING', 'IN_PROGRESS', 'ON_HOLD_KYC', 'CRYPTO_TRANSFER_ISSUED order-unsure!'],
  },
])('what came again after an unsure answer may have happened twice: $name', ({ samples, says }) => {
  expect(inQuiet(samples)).toEqual(says)
})

const [minute, hour, day] = [60, 3_600, 86_400]
const account41 = [
  { at: 0, body: account('PENDING') },
  { at: 41, body: account('ACTIVE') },
]
const disabled = (at: number) => [...account41, { at, body: account('DISABLED') }]
const heldOnce = [{ at: 0, body: pending }, progress52, { at: 100, body: hold }, { at: 460, body: issued }]

it.each<{ name: string; samples: Sample[]; says: string[] }>([
  {
    name: 'a creation days after the first',
    samples: [...disabled(2.4 * day), { at: 2.4 * day + 3, body: account('PENDING') }],
    says: ['PENDING', 'ACTIVE', 'PENDING late!', 'DISABLED'],
  },
  {
    name: 'a creation hours after the first',
    samples: [
      { at: 0, body: account('PENDING') },
      { at: 5 * hour, body: account('DISABLED') },
      { at: 5 * hour + 37, body: account('PENDING') },
    ],
    says: ['PENDING', 'PENDING late!', 'DISABLED'],
  },
  {
    name: 'no doubt when no attempt can have been lost',
    samples: [
      { at: 0, body: account('PENDING') },
      { at: 5 * hour, body: account('DISABLED') },
      { at: 5 * hour + 39, body: account('PENDING') },
    ],
    says: ['PENDING', 'DISABLED', 'PENDING'],
  },
  {
    name: 'not once another state has followed',
    samples: [
      ...disabled(2.4 * day),
      { at: 2.4 * day + 3, body: account('PENDING') },
      { at: 2.4 * day + minute, body: account('ACTIVE') },
    ],
    says: ['PENDING', 'ACTIVE', 'PENDING late', 'DISABLED', 'ACTIVE'],
  },
  {
    name: 'progress that ended a hold, or followed the transfer',
    samples: [...heldOnce, { at: 480, body: progress }],
    says: ['PENDING', 'IN_PROGRESS', 'ON_HOLD_KYC', 'IN_PROGRESS late!', 'CRYPTO_TRANSFER_ISSUED'],
  },
  {
    name: 'progress for which attempts had failed',
    samples: [...heldOnce, { at: 2_000, body: progress, earliestAttempt: 450 }],
    says: ['PENDING', 'IN_PROGRESS', 'ON_HOLD_KYC', 'IN_PROGRESS late!', 'CRYPTO_TRANSFER_ISSUED'],
  },
  {
    name: 'not progress just after an outcome',
    samples: [{ at: 0, body: pending }, progress52, { at: 460, body: success }, { at: 480, body: progress }],
    says: ['PENDING', 'IN_PROGRESS', 'IN_PROGRESS late', 'SUCCESS'],
  },
  {
    name: 'not what a patient sender may have sent once more',
    samples: [...account41, { at: 70, body: account('PENDING') }],
    says: ['PENDING', 'PENDING late', 'ACTIVE'],
  },
  {
    name: 'what may have been sent once more goes before, in doubt',
    samples: [
      { at: 0, body: account('CHECK_COMPLETED') },
      { at: 100, body: account('ACTIVE') },
      { at: 820, body: account('PENDING') },
      { at: 850, body: account('CHECK_COMPLETED'), earliestAttempt: 845 },
    ],
    says: ['PENDING late', 'CHECK_COMPLETED', 'CHECK_COMPLETED late,repeat-unsure,came-again!', 'ACTIVE'],
  },
  {
    name: 'not what only one of two receivers tells',
    samples: [...disabled(2.4 * day), { at: 2.4 * day + 3, body: account('PENDING'), otherReceivers: 1 }],
    says: ['PENDING', 'ACTIVE', 'PENDING late', 'DISABLED'],
  },
  {
    name: 'what both receivers tell',
    samples: [
      ...disabled(2.4 * day),
      { at: 2.4 * day + 3, body: account('PENDING'), otherReceivers: 1 },
      { at: 2.4 * day + 3.5, body: account('PENDING'), otherReceivers: 1, receiver: 'r2' },
    ],
    says: ['PENDING', 'ACTIVE', 'PENDING late!', 'DISABLED'],
  },
])('what surely happened again may stand now, although it goes before: $name', ({ samples, says }) => {
  expect(inQuiet(samples)).toEqual(says)
})

it('what came again after an unsure answer is told from a retry by the waits alone', () => {
  const suspended = { at: 812, body: kyc('SUSPENDED') }
  const again = (at: number) =>
    inQuiet([{ at: 0, body: kyc('FULL_USER'), answer: 'unsure' }, { at, body: kyc('FULL_USER') }, suspended])
  expect(again(28)).toEqual(['FULL_USER', 'SUSPENDED'])
  expect(again(222)).toEqual(['FULL_USER', 'SUSPENDED order-unsure!'])
  const corrected = (at: number) =>
    amounts([
      { at: 0, body: paid('SUCCESS', 99), answer: 'unsure' },
      { at: 10, body: paid('SUCCESS', 5) },
      { at, body: paid('SUCCESS', 99) },
    ])
  expect(corrected(28)).toEqual(['99', '5'])
  expect(corrected(50)).toEqual(['99', '5 decisive order-unsure'])
})

const paid = (subType: string, amountCrypto: number, status = subType) =>
  step(subType, { status, amountCrypto })
const begun = [
  { at: -500, body: pending },
  { at: -400, body: progress },
]

/** The doubts about each event that names an amount, with the amount; the last gives what pages show. */
const amounts = (samples: readonly Sample[]) => {
  const all = [...begun, ...samples].map((sample) => ({
    otherReceivers: 0,
    earliestAttempt: null,
    ...sample,
  }))
  return foldSamples(all).events.flatMap(({ envelope, flags }) => {
    const amount = amountField(envelope.data, 'amountCrypto')
    return amount === null ? [] : [[amount, ...flags].join(' ')]
  })
}

it.each(['SUCCESS', 'FAILED', 'REFUNDED'])('an outcome %s with other data', (outcome) => {
  const first = { at: 30, body: paid(outcome, 99) }
  const second = { at: 69, body: paid(outcome, 5) }
  const refused = { refusedAt: [0, 3], earliestAttempt: -2 }
  // A refusal before the other settles the order, and an outage leaves it open.
  expect(amounts([first, { ...second, ...refused }])).toEqual(['5 late', '99'])
  expect(amounts([first, { ...second, earliestAttempt: -2 }])).toEqual(['99', '5 decisive order-unsure'])
  expect(amounts([first, { ...second, earliestAttempt: 35 }])).toEqual(['99', '5'])
  expect(amounts([first, second])).toEqual(['99', '5'])
  // A retry of the first may be the first once more.
  expect(amounts([first, { ...second, at: 40 }, { ...first, at: 60 }])).toEqual([
    '99',
    '5 decisive order-unsure',
  ])
  expect(amounts([{ ...second, ...refused, at: 30 }])).toEqual(['5'])
  expect(amounts([{ ...second, earliestAttempt: -2 }])).toEqual(['5'])
})

it('an outcome with other data that was refused goes before the first, although a refund has followed', () => {
  const refund = { at: 40, body: step('REFUNDED') }
  const late = { at: 69, body: paid('SUCCESS', 5), refusedAt: [0, 3], earliestAttempt: -2 }
  expect(amounts([{ at: 30, body: paid('SUCCESS', 99) }, refund, late])).toEqual(['5 late', '99'])
  // Another outcome contradicts it: it keeps its place, in doubt.
  expect(amounts([{ at: 30, body: paid('FAILED', 99) }, late])).toEqual([
    '99 conflict',
    '5 conflict decisive order-unsure',
  ])
})

it('a step whose data.status differs from the one before it may have come first as well', () => {
  const issuedAs = (status: string, amountCrypto: number, at: number) => ({
    at,
    body: paid('CRYPTO_TRANSFER_ISSUED', amountCrypto, status),
  })
  const samples = [issuedAs('X', 99, 30), { ...issuedAs('REVIEW', 5, 69), earliestAttempt: -2 }]
  expect(amounts(samples)).toEqual(['99', '5 decisive order-unsure'])
  expect(amounts([issuedAs('X', 99, 30), issuedAs('REVIEW', 5, 69)])).toEqual(['99', '5'])
  expect(amounts([...samples, { at: 900, body: paid('SUCCESS', 5) }])).toEqual(['99', '5 order-unsure', '5'])
  const resumed = step('IN_PROGRESS', { status: 'RESUMED' })
  expect(inQuiet([...begun, { at: 69, body: resumed, earliestAttempt: -402 }])).toEqual([
    'PENDING',
    'IN_PROGRESS',
    'RESUMED order-unsure!',
  ])
  // Two outcomes that exclude each other.
  expect(
    amounts([
      { at: 30, body: paid('FAILED', 99) },
      { at: 69, body: paid('SUCCESS', 5), earliestAttempt: -2 },
    ]),
  ).toEqual(['99 conflict', '5 conflict decisive order-unsure'])
})

it('a repetition after an event of the same state is no doubt, since every reading gives that state', () => {
  const wallet = (chain: string) => ({
    type: 'walletCreated',
    subType: 'WALLET_CREATED',
    uuid: 'u',
    data: { chain },
  })
  const two = (at: number, body: unknown): Sample[] =>
    ['r1', 'r2'].map((receiver) => ({ at, body, receiver, otherReceivers: 1 }))
  const retry = { at: 3, body: wallet('polygon'), otherReceivers: 1 }
  const wallets = [...two(0, wallet('polygon')), ...two(1.5, wallet('ethereum'))]
  expect(inQuiet([...wallets, retry])).toEqual(['WALLET_CREATED', 'WALLET_CREATED'])
  expect(
    inQuiet([
      { at: 0, body: wallet('polygon') },
      { at: 1.5, body: wallet('ethereum') },
      { at: 30, body: wallet('polygon') },
    ]).join(),
  ).not.toContain('!')
  const bounce = (timestamp: string) => ({
    type: 'otpNotification',
    subType: 'EMAIL_DELIVERY_FAILED',
    uuid: 'u',
    data: { timestamp },
  })
  expect(
    inQuiet([
      { at: 0, body: bounce('a') },
      { at: 20, body: bounce('b') },
      { at: 23, body: bounce('a') },
    ]).join(),
  ).not.toContain('unsure')
  const fiat = (iban: string | null) => ({
    type: 'unblockBankAccount',
    subType: 'statusUpdate',
    uuid: 'u',
    data: { uuid: 'a', status: 'ACTIVE', iban },
  })
  const known = [
    { at: 0, body: fiat(null) },
    { at: 2, body: fiat('DE1') },
  ]
  expect(inQuiet([...known, { at: 3, body: fiat(null) }])).toEqual(['ACTIVE', 'ACTIVE'])
  expect(
    inQuiet([
      { at: 0, body: fiat(null), answer: 'unsure' },
      { at: 2, body: fiat('DE1') },
      { at: 3, body: fiat(null) },
    ]),
  ).toEqual(['ACTIVE', 'ACTIVE'])
  // The other state may have come back.
  expect(
    inQuiet([
      { at: 0, body: kyc('A') },
      { at: 20, body: kyc('B') },
      { at: 23, body: kyc('A') },
    ]).join(),
  ).toContain('!')
})
