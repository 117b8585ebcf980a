import { describe, expect, it } from 'vitest'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { deliveryEvidence, type OutagePeriod, type ReceiverPeriod } from './delivery-evidence.ts'

const hour = 3_600_000
const receivedAt = 100 * hour
const windowBegan = receivedAt - retryWindowSeconds * 1000
const arrival = { receivedAt, receiver: 'here', type: 'KYC' }

/** The receiver gets all types since long ago, unless `some` says otherwise. */
const period = (some: Partial<ReceiverPeriod> = {}): ReceiverPeriod => ({
  receiver: 'here',
  began: 0,
  ended: null,
  events: ['*'],
  lastSeenAt: receivedAt,
  ...some,
})

function evidence(
  periods: readonly ReceiverPeriod[],
  {
    outages = [],
    refused = [],
    type = 'KYC',
  }: { outages?: OutagePeriod[]; refused?: number[]; type?: string | null } = {},
) {
  return deliveryEvidence({ ...arrival, type }, periods, outages, refused)
}

it('is unknown of a receiver of which nothing is known', () => {
  expect(evidence([])).toBeNull()
  expect(evidence([period({ receiver: 'elsewhere' })])).toBeNull()
})

it('has nothing to say of a receiver that got its type all the time', () => {
  expect(evidence([period()])).toEqual({
    otherReceivers: 0,
    offPeriods: [],
    refusedAt: [],
    earliestAttempt: null,
  })
})

describe('others', () => {
  const other = (some: Partial<ReceiverPeriod>) => period({ receiver: 'elsewhere', ...some })

  it.each<[string, Partial<ReceiverPeriod>, number]>([
    ['one that gets all', {}, 1],
    ['one that gets its type', { events: ['AML', 'KYC'] }, 1],
    ['none that gets other types', { events: ['AML'] }, 0],
    ['one that begins at that moment', { began: receivedAt }, 1],
    ['none that begins later', { began: receivedAt + 1 }, 0],
    ['one that ended later', { ended: receivedAt + 1 }, 1],
    ['none that had ended', { ended: receivedAt }, 0],
  ])('counts %s', (_, some, count) => {
    expect(evidence([period(), other(some)])?.otherReceivers).toBe(count)
  })

  it('counts each once, and never its own', () => {
    const twice = [other({ ended: receivedAt + 1 }), other({ began: 1 }), other({ receiver: 'third' })]
    expect(evidence([period(), period({ began: 1 }), ...twice])?.otherReceivers).toBe(2)
  })

  it('counts of what has no type those that get all', () => {
    expect(evidence([period(), other({ events: ['KYC'] })], { type: null })?.otherReceivers).toBe(0)
    expect(evidence([period(), other({})], { type: null })?.otherReceivers).toBe(1)
  })
})

describe('away', () => {
  const began = receivedAt - 2 * hour
  const ended = receivedAt - hour

  it('is the time between two periods', () => {
    expect(evidence([period({ ended: began }), period({ began: ended })])?.offPeriods).toEqual([
      { began, ended },
    ])
  })

  it('is no shorter for what another receiver got meanwhile', () => {
    const own = [period({ ended: began }), period({ began: ended })]
    expect(evidence([...own, period({ receiver: 'elsewhere' })])?.offPeriods).toEqual([{ began, ended }])
  })

  it('is the same whichever period is read first', () => {
    expect(evidence([period({ began: ended }), period({ ended: began })])?.offPeriods).toEqual([
      { began, ended },
    ])
  })

  it('is nothing where one period goes on as another begins, or within it', () => {
    expect(evidence([period({ ended }), period({ began: ended })])?.offPeriods).toEqual([])
    expect(evidence([period(), period({ began, ended })])?.offPeriods).toEqual([])
  })

  it('is the time before the first period, as far back as a retry reaches', () => {
    expect(evidence([period({ began })])?.offPeriods).toEqual([{ began: windowBegan, ended: began }])
  })

  it('is nothing that ended before a retry can reach', () => {
    expect(evidence([period({ began: windowBegan })])?.offPeriods).toEqual([])
    expect(evidence([period({ began: windowBegan + 1 })])?.offPeriods).toEqual([
      { began: windowBegan, ended: windowBegan + 1 },
    ])
  })

  it('begins no earlier than a retry reaches, where it was longer', () => {
    expect(evidence([period({ ended: hour }), period({ began: ended })])?.offPeriods).toEqual([
      { began: windowBegan, ended },
    ])
  })

  it('lasts after the last period until it was last seen so, and no longer than the arrival', () => {
    const seen = (lastSeenAt: number) => evidence([period({ ended: began, lastSeenAt })])?.offPeriods
    expect(seen(ended)).toEqual([{ began, ended }])
    expect(seen(receivedAt + hour)).toEqual([{ began, ended: receivedAt }])
    expect(seen(began)).toEqual([])
  })

  it('was seen by whatever period of its own was seen last, of any type, and by none of another', () => {
    const periods = [
      period({ ended: began, lastSeenAt: began }),
      period({ events: ['AML'], lastSeenAt: ended }),
      period({ receiver: 'elsewhere', events: ['AML'] }),
    ]
    expect(evidence(periods)?.offPeriods).toEqual([{ began, ended }])
  })

  it('is all the time of a type that it never got', () => {
    expect(evidence([period({ events: ['AML'] })])?.offPeriods).toEqual([
      { began: windowBegan, ended: receivedAt },
    ])
  })
})

it('names the refusals of the same body that a retry can follow', () => {
  const refused = [windowBegan - 1, windowBegan, receivedAt - 1, receivedAt]
  expect(evidence([period()], { refused })?.refusedAt).toEqual([windowBegan, receivedAt - 1])
})

describe('the earliest attempt', () => {
  const second = 1000
  const outage = { began: receivedAt - 10 * second, ended: receivedAt - 3 * second }
  const earliest = (periods: ReceiverPeriod[], receiver?: string | null) =>
    evidence(periods, { outages: receiver === undefined ? [] : [{ ...outage, receiver }] })?.earliestAttempt

  it('lies in an outage of all receivers or of its own, not of another', () => {
    expect(earliest([period()], null)).toBe(outage.began)
    expect(earliest([period()], 'here')).toBe(outage.began)
    expect(earliest([period()], 'elsewhere')).toBeNull()
  })

  it('lies in a time in which its receiver was off, once it had been there', () => {
    expect(earliest([period({ ended: outage.began }), period({ began: outage.ended })])).toBe(outage.began)
    // Nothing is sent to an endpoint before it exists.
    expect(earliest([period({ began: outage.ended })])).toBeNull()
  })
})
