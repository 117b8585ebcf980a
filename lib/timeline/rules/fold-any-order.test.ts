import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { finalRank } from '#lib/deliveries/rules/steps.ts'
import { factsOf, foldSamples, step, transaction } from '../../../test/sample-deliveries.ts'
import { foldSubject, type SubjectFold } from './fold.ts'

const [pending, progress, issued, success, refunded] = [
  step('PENDING'),
  step('IN_PROGRESS'),
  step('CRYPTO_TRANSFER_ISSUED'),
  step('SUCCESS'),
  step('REFUNDED'),
]
const others = [
  step('FAILED'),
  step('ON_HOLD'),
  step('SOMETHING_NEW'),
  { type: 'KYC', subType: 'statusUpdate', uuid: 'u', data: { status: 'A' } },
  { type: 'linkBankAccount', subType: 'statusUpdate', uuid: 'u', data: { uuid: 'a', status: 'ACTIVE' } },
]

describe('any way of processing', () => {
  const bodies = [pending, progress, issued, success, refunded, ...others]
  const sampled = {
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 100_000 })),
    receiver: fc.constantFrom('r1', 'r2'),
    answer: fc.constantFrom('sure', 'unsure'),
    others: fc.constantFrom(0, 1),
    refused: fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 2 }),
    away: fc.constantFrom([], [[-10, 20] as const], [[100, 50_000] as const]),
    triedSince: fc.constantFrom(null, 0, 50, 150),
  } as const
  const unheardOf = fc.record(
    { type: fc.constantFrom('fiatToCrypto', 'somethingElse'), subType: fc.string(), data: fc.object() },
    { requiredKeys: [] },
  )
  const sample = fc.record({
    ...sampled,
    body: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...bodies) }, { weight: 1, arbitrary: unheardOf }),
  })
  const samples = fc.array(sample, { minLength: 1, maxLength: 25 })

  it('ends in the same timeline, whatever the order and repetition of the facts', () => {
    fc.assert(
      fc.property(samples, fc.infiniteStream(fc.nat()), (given, random) => {
        const { facts, envelopes } = factsOf(given)
        const next = () => random.next().value ?? 0
        const doubled = [...facts, ...facts.filter(() => next() % 2 === 0)]
        const shuffled = doubled.map((fact) => ({ fact, at: next() })).sort((a, b) => a.at - b.at)
        const again = shuffled.map(({ fact }) => ({ ...fact }))
        expect(plain(foldSubject(transaction, again, envelopes))).toEqual(
          plain(foldSubject(transaction, facts, envelopes)),
        )
      }),
    )
  })

  it('never loses or doubles a delivery, and never reuses an event for another body', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const { facts, envelopes } = factsOf(given)
        const { events } = foldSubject(transaction, facts, envelopes)
        const shown = events.flatMap((event) => event.deliveries.map(({ delivery }) => delivery.id))
        expect(shown.toSorted()).toEqual(facts.map((fact) => fact.id))
        for (const event of events) {
          expect(event.id).toBe(event.deliveries[0]?.delivery.id)
          expect(new Set(event.deliveries.map(({ delivery }) => delivery.fingerprint)).size).toBe(1)
        }
      }),
    )
  })

  // Until `simultaneousSeconds` have passed, another endpoint may still show that an apparent retry is a new event.
  it('keeps the events of an earlier batch when later facts are added, once the other endpoints have delivered', () => {
    fc.assert(
      fc.property(samples, fc.nat(), (given, split) => {
        const inTime = given.toSorted((a, b) => a.at - b.at)
        const cut = split % given.length
        const pause = inTime.map((sample, index) => (index < cut ? sample : { ...sample, at: sample.at + 4 }))
        const { facts, envelopes } = factsOf(pause)
        const before = foldSubject(transaction, facts.slice(0, cut), envelopes)
        const after = foldSubject(transaction, facts, envelopes)
        const ids = new Set(after.events.map((event) => event.id))
        expect(before.events.filter((event) => !ids.has(event.id))).toEqual([])
        const latest = facts[cut - 1]?.id ?? ''
        expect(after.events.filter(({ id }) => id <= latest)).toHaveLength(before.events.length)
      }),
    )
  })

  it('never shows a step of a transaction before one of lower rank, nor a hold after an outcome, within the retry window', () => {
    const moves = fc.constantFrom(pending, progress, issued, success, refunded, step('ON_HOLD'))
    const inWindow = { ...sampled, at: fc.integer({ min: 0, max: 60_000 }) }
    fc.assert(
      fc.property(fc.array(fc.record({ ...inWindow, body: moves }), { minLength: 1 }), (given) => {
        // Each body differs, so that none counts as a repetition.
        const { events } = foldSamples(given.map((one, index) => ({ ...one, body: { ...one.body, index } })))
        const ranks = events.flatMap(({ rank }) => (rank === null ? [] : [rank]))
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
        const outcome = events.findIndex(({ rank }) => (rank ?? 0) >= finalRank)
        const holds = events.flatMap(({ rank }, index) => (rank === null ? [index] : []))
        for (const hold of holds) expect(outcome === -1 || hold < outcome).toBe(true)
      }),
    )
  })

  it('calls nothing late that no retry can have brought', () => {
    fc.assert(
      fc.property(samples, (given) => {
        for (const { placedBefore, firstReceivedAt } of foldSamples(given.toSorted((a, b) => a.at - b.at))
          .events)
          expect(firstReceivedAt - (placedBefore ?? firstReceivedAt)).toBeLessThan(retryWindowSeconds * 1000)
      }),
    )
  })
})

/** The rows are compared as they would be written: envelopes by their text. */
const plain = (fold: SubjectFold) => ({
  ...fold,
  events: fold.events.map((event) => ({ ...event, envelope: event.envelope.text })),
})
