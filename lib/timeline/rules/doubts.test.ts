import { expect, it } from 'vitest'
import { foldSamples, type Sample } from '../../../test/sample-deliveries.ts'

const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'statusUpdate',
  uuid: 'u',
  data: { uuid: 'a', status },
})
const [active, disabled] = [account('ACTIVE'), account('DISABLED')]

/** The result is the status of the account, and the doubts about the event that gives it. */
function statusAndFlags(samples: readonly Sample[]) {
  const { events, status } = foldSamples(samples, { kind: 'bank-account', id: 'a' })
  const flags = events.find(({ id }) => id === status.eventId)?.flags ?? []
  expect(flags.includes('decisive')).toBe(flags.length > 0)
  return [status.reason, ...flags.filter((flag) => flag !== 'decisive')]
}

const both = (at: number, body: unknown): Sample[] => [
  { at, body, otherReceivers: 1 },
  { at: at + 0.2, body, receiver: 'r2', otherReceivers: 1 },
]

it('doubts a state that only one of two endpoints tells again', () => {
  const before = [...both(0, active), ...both(10, disabled)]
  expect(statusAndFlags([...before, { at: 51, body: active, otherReceivers: 1 }])).toEqual([
    'ACTIVE',
    'repeat-unsure',
  ])
  expect(statusAndFlags([...before, ...both(51, active)])).toEqual(['ACTIVE'])
})

it('doubts a state that one endpoint alone still tells after another has told that it came back', () => {
  const samples = [
    ...both(0, active),
    ...both(100, disabled),
    { at: 250, body: active, otherReceivers: 1 },
    { at: 1500, body: disabled, receiver: 'r2', otherReceivers: 1 },
  ]
  expect(statusAndFlags(samples)).toEqual(['DISABLED', 'repeat-unsure'])
})

it('doubts the order of what comes just after a state that was told once more', () => {
  const again = (at: number) =>
    statusAndFlags([
      { at: 0, body: active },
      { at: 120, body: active },
      { at, body: disabled },
    ])
  expect(again(131)).toEqual(['DISABLED', 'order-unsure'])
  expect(again(500)).toEqual(['DISABLED'])
})

it('doubts the order of what our own downtime leads back before a state was delivered once more', () => {
  const since = (earliestAttempt: number) =>
    statusAndFlags([
      ...both(0, disabled),
      ...both(4843, disabled),
      ...both(7000, active).map((sample) => ({ ...sample, earliestAttempt })),
    ])
  expect(since(2000)).toEqual(['ACTIVE', 'order-unsure'])
  expect(since(5000)).toEqual(['ACTIVE'])
})

it('doubts the order of what was refused before a state was delivered once more', () => {
  const samples = [
    { at: 0, body: active },
    { at: 205, body: active, refusedAt: [105, 115] },
    { at: 905, body: disabled, refusedAt: [83, 95, 174] },
  ]
  expect(statusAndFlags(samples)).toEqual(['DISABLED', 'order-unsure'])
})

it('doubts a state to which a wait leads from a refusal that something else came after', () => {
  const again = (refusedAt: number[]) =>
    statusAndFlags([
      { at: 112, body: active, refusedAt, otherReceivers: 0 },
      { at: 526, body: disabled, otherReceivers: 0 },
      { at: 828, body: active, refusedAt, otherReceivers: 0 },
    ])
  expect(again([0, 3, 69])).toEqual(['ACTIVE', 'order-unsure', 'repeat-unsure'])
  expect(again([0, 3])).toEqual(['ACTIVE'])
})

it('doubts the order of what was refused in two chains of attempts', () => {
  const refusedAt = [-9, -6, 15, 18, 60, 85]
  expect(
    statusAndFlags([
      { at: 100, body: disabled },
      { at: 792, body: active, refusedAt },
    ]),
  ).toEqual(['ACTIVE', 'order-unsure'])
})

it('doubts a state when what was refused comes twice at once, of which one may be new', () => {
  const samples = [
    { at: 56, body: disabled },
    { at: 77, body: active, refusedAt: [0, 8] },
    { at: 77.1, body: active, refusedAt: [0, 8] },
  ]
  expect(statusAndFlags(samples)).toEqual(['DISABLED', 'repeat-unsure'])
})

it('doubts the order of two states sent within a second, though both endpoints report it alike', () => {
  const after = (seconds: number) => statusAndFlags([...both(0, active), ...both(seconds, disabled)])
  expect(after(0.3)).toEqual(['DISABLED', 'order-unsure'])
  expect(after(2)).toEqual(['DISABLED'])
})

it('doubts the order of two states that two endpoints report in opposite orders', () => {
  const order = (second: number) =>
    statusAndFlags(
      [
        { at: 0, body: active, otherReceivers: 1 },
        { at: 60, body: disabled, otherReceivers: 1 },
        { at: 61, body: disabled, receiver: 'r2', otherReceivers: 1 },
        { at: second, body: active, receiver: 'r2', otherReceivers: 1 },
      ].toSorted((a, b) => a.at - b.at),
    )
  expect(order(72)).toEqual(['DISABLED', 'order-unsure'])
  expect(order(30)).toEqual(['DISABLED'])
})

it('doubts the order of what follows within one retry only when nothing is known of its receiver', () => {
  const follows = (seconds: number, known: Partial<Sample>) =>
    statusAndFlags([
      { at: 0, body: active, ...known },
      { at: seconds, body: disabled, ...known },
    ])
  const quiet = { otherReceivers: 0, earliestAttempt: null }
  expect(follows(2, quiet)).toEqual(['DISABLED'])
  expect(follows(30, quiet)).toEqual(['DISABLED'])
  expect(follows(30, {})).toEqual(['DISABLED', 'order-unsure'])
  expect(follows(40, {})).toEqual(['DISABLED'])
})

it('doubts it although two endpoints say it at once: when the fault is ours, both fail together', () => {
  const reported = (at: number, status: unknown): Sample[] => [
    { at, body: status },
    { at: at + 0.1, body: status, receiver: 'r2' },
  ]
  expect(statusAndFlags([...reported(0, active), ...reported(2, disabled)])).toEqual([
    'DISABLED',
    'order-unsure',
  ])
})

it('doubts that a state came back only where a retry can explain it', () => {
  const back = (seconds: number, evidence: Partial<Sample> = {}) =>
    statusAndFlags([
      { at: 0, body: active, otherReceivers: 0, earliestAttempt: null },
      { at: seconds / 2, body: disabled, otherReceivers: 0, earliestAttempt: null },
      { at: seconds, body: active, otherReceivers: 0, earliestAttempt: null, ...evidence },
    ])
  // The answer to the first may have been lost (by a sender that waits a minute for it); more can be lost only
  // when attempts failed.
  expect(back(30)).toEqual(['ACTIVE', 'repeat-unsure'])
  expect(back(66)).toEqual(['ACTIVE', 'repeat-unsure'])
  expect(back(75)).toEqual(['ACTIVE'])
  expect(back(731)).toEqual(['ACTIVE'])
  expect(back(731, { earliestAttempt: 700 })).toEqual(['ACTIVE', 'repeat-unsure'])
  expect(back(2000, { earliestAttempt: 1900 })).toEqual(['ACTIVE'])
})

it('doubts a failure that may belong to the creation before the one which was tried again', () => {
  const pending = account('PENDING')
  const stands = (samples: readonly Sample[]) =>
    statusAndFlags(samples.map((sample) => ({ otherReceivers: 0, ...sample })))
  const failed = (earliestAttempt: number | null, first: readonly Sample[]) =>
    stands([...first, { at: 2300, body: account('FAILED'), earliestAttempt }])
  const again = [
    { at: 0, body: pending },
    { at: 2200, body: pending },
  ]
  expect(failed(2150, again)).toEqual(['FAILED', 'order-unsure'])
  expect(failed(2150, [again[0] ?? { at: 0, body: pending }])).toEqual(['FAILED'])
  const after = { at: 1000, body: account('FAILED') }
  const other = account('WAITING_CREATION')
  expect(failed(2150, [...again.slice(0, 1), after, { at: 2200, body: other }])).toEqual([
    'FAILED',
    'order-unsure',
  ])
  expect(failed(null, [...again.slice(0, 1), after, { at: 2200, body: other }])).toEqual(['FAILED'])
})

it('doubts a failure that a lower state was received after: it may belong to the next creation', () => {
  const samples = [
    { at: 0, body: account('PENDING') },
    { at: 50, body: account('FAILED') },
    { at: 100, body: account('CHECK_COMPLETED'), earliestAttempt: 40 },
  ]
  const { events, status } = foldSamples(
    samples.map((sample) => ({ otherReceivers: 0, ...sample })),
    { kind: 'bank-account', id: 'a' },
  )
  expect(status.reason).toBe('FAILED')
  expect(events.map(({ flags }) => flags)).toEqual([[], ['decisive', 'late'], []])
})

it('doubts a failure that we refused before the first creation which is seen: it may belong to one before', () => {
  const [pending, failed] = [account('PENDING'), account('FAILED')]
  const stands = (samples: readonly Sample[]) =>
    statusAndFlags(samples.map((sample) => ({ otherReceivers: 0, ...sample })))
  const refused = { at: 79, body: failed, refusedAt: [10, 13] }
  expect(stands([{ at: 50, body: pending }, refused])).toEqual(['FAILED', 'order-unsure'])
  expect(stands([{ at: 50, body: pending, earliestAttempt: 20 }, refused])).toEqual([
    'FAILED',
    'order-unsure',
  ])
  const checked = { at: 60, body: account('CHECK_COMPLETED') }
  expect(stands([{ at: 50, body: pending }, checked, refused])).toEqual(['FAILED', 'order-unsure'])
  // The creation may have been first tried before the failure.
  const after = { at: 93, body: failed, refusedAt: [24, 27] }
  expect(stands([{ at: 69, body: pending, earliestAttempt: 0 }, after])).toEqual(['FAILED'])
  expect(stands([{ at: 69, body: pending, refusedAt: [0, 3] }, after])).toEqual(['FAILED'])
  expect(stands([...both(69, pending).map((one) => ({ ...one, earliestAttempt: 0 })), after])).toEqual([
    'FAILED',
  ])
  expect(statusAndFlags([{ at: 69, body: pending }, after])).toEqual(['FAILED'])
  const again = { at: 96, body: pending, refusedAt: [0, 3], earliestAttempt: 0 }
  expect(stands([{ at: 69, body: pending, earliestAttempt: 0 }, after, again])).toEqual([
    'FAILED',
    'order-unsure',
  ])
  // The failure was first tried after it.
  expect(stands([{ at: 20, body: pending }, after])).toEqual(['FAILED'])
})
