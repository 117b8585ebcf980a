import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, foldSamples, step, transaction } from '../../test/sample-deliveries.ts'
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
  const sample = fc.record({
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 100_000 })),
    body: fc.constantFrom(...bodies),
    receiver: fc.constantFrom('r1', 'r2'),
    answer: fc.constantFrom('sure', 'unsure'),
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

  it('keeps the events of an earlier batch when later facts are added', () => {
    fc.assert(
      fc.property(samples, fc.nat(), (given, split) => {
        const { facts, envelopes } = factsOf(given)
        const cut = split % facts.length
        const before = foldSubject(transaction, facts.slice(0, cut), envelopes)
        const after = foldSubject(transaction, facts, envelopes)
        const ids = after.events.map((event) => event.id)
        expect(before.events.map((event) => event.id)).toEqual(
          ids.filter((id) => before.events.some((event) => event.id === id)),
        )
      }),
    )
  })

  it('never shows a step of a transaction before one of lower rank that arrived later', () => {
    const steps = fc.array(fc.constantFrom(pending, progress, issued, success, refunded), { minLength: 1 })
    fc.assert(
      fc.property(steps, (given) => {
        const { events } = foldSamples(given.map((body, index) => ({ at: index * 2000, body })))
        const ranks = events.map((event) => event.rank ?? 0)
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      }),
    )
  })

  it('costs little more for each further delivery', () => {
    const many = (count: number) => {
      const given = Array.from({ length: count }, (_, index) => ({
        at: index * 50,
        body: { ...(index % 3 === 0 ? pending : issued), index: index % (count / 2) },
      }))
      const { facts, envelopes } = factsOf(given)
      const from = performance.now()
      foldSubject(transaction, facts, envelopes)
      return performance.now() - from
    }
    many(2_000)
    expect(many(40_000)).toBeLessThan(2_000)
  })
})

/** As it would be written to rows: envelopes are compared by their text. */
const plain = (fold: SubjectFold) => ({
  ...fold,
  events: fold.events.map((event) => ({ ...event, envelope: event.envelope.text })),
})
