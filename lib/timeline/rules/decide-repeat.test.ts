import { describe, expect, it } from 'vitest'
import { foldSamples, type Sample, step } from '../../../test/sample-deliveries.ts'

const pending = step('PENDING')
const progress = step('IN_PROGRESS')
const hold = step('ON_HOLD', { status: 'ON_HOLD_KYC' })
const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'statusUpdate',
  uuid: 'u',
  data: { uuid: 'a', status },
})

describe('same or new', () => {
  it.each<{ name: string; samples: Sample[]; reasons: object[][] }>([
    {
      name: 'takes the first delivery for a new event',
      samples: [{ at: 0, body: pending }],
      reasons: [[{ kind: 'first' }]],
    },
    {
      name: 'takes a body that differs in one digit for another event',
      samples: [
        { at: 0, body: '{"type":"fiatToCrypto","data":{"fees":1.1}}' },
        { at: 3, body: '{"type":"fiatToCrypto","data":{"fees":1.10}}' },
      ],
      reasons: [[{ kind: 'first' }], [{ kind: 'first' }]],
    },
    {
      name: 'takes the same body with its keys in another order for the same event',
      samples: [
        { at: 0, body: '{"type":"KYC","uuid":"u"}' },
        { at: 3, body: '{ "uuid":"u", "type":"KYC" }' },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'retry', secondsAfter: 3, from: 1, retries: 1 }]],
    },
    {
      name: 'sees the same event through another endpoint, even after something else happened',
      samples: [
        { at: 0, body: pending },
        { at: 50, body: progress },
        { at: 60, body: pending, receiver: 'r2' },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 60 }], [{ kind: 'first' }]],
    },
    {
      name: 'sees a retry after an answer that was not surely received, at any distance',
      samples: [
        { at: 0, body: pending, answer: 'unsure' },
        { at: 40, body: progress },
        { at: 50, body: pending },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'unsure-answer', secondsAfter: 50 }], [{ kind: 'first' }]],
    },
    {
      name: 'judges the answer to the last delivery on that receiver, not on another',
      samples: [
        { at: 0, body: pending },
        { at: 1, body: pending, receiver: 'r2', answer: 'unsure' },
        { at: 40, body: progress },
        { at: 55, body: pending },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 1 }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 55, because: 'other-event-between' }],
      ],
    },
    {
      name: 'sees a retry at a wait of the retry schedule, although something else happened in between',
      samples: [
        { at: 0, body: pending },
        { at: 10, body: progress },
        { at: 66, body: pending },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 }],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees a retry whose earlier retries never arrived',
      samples: [
        { at: 0, body: pending },
        { at: 10, body: progress },
        { at: 801, body: pending },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'retry', secondsAfter: 801, from: 1, retries: 3 }],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'counts each wait from the delivery before it',
      samples: [0, 3, 69, 800, 4898, 20525, 67183].map((at) => ({ at, body: pending })),
      reasons: [
        [
          { kind: 'first' },
          { kind: 'retry', secondsAfter: 3, from: 1, retries: 1 },
          { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
          { kind: 'retry', secondsAfter: 731, from: 3, retries: 1 },
          { kind: 'retry', secondsAfter: 4098, from: 4, retries: 1 },
          { kind: 'retry', secondsAfter: 15627, from: 5, retries: 1 },
          { kind: 'retry', secondsAfter: 46658, from: 6, retries: 1 },
        ],
      ],
    },
    {
      name: 'sees that it happened again when something else happened in between and no retry explains it',
      samples: [
        { at: 0, body: progress },
        { at: 100, body: hold },
        { at: 500, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 500, because: 'other-event-between' }],
      ],
    },
    {
      name: 'does not count another event that began before the last delivery',
      samples: [
        { at: 0, body: pending },
        { at: 10, body: progress },
        { at: 66, body: pending },
        { at: 510, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 }],
        [{ kind: 'first' }, { kind: 'repeated', secondsAfter: 500 }],
      ],
    },
    {
      name: 'does not count another event that began before a retry of this one',
      samples: [
        { at: 0, body: pending },
        { at: 10, body: progress },
        { at: 66, body: pending },
        { at: 566, body: pending },
      ],
      reasons: [
        [
          { kind: 'first' },
          { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
          { kind: 'repeated', secondsAfter: 500 },
        ],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees one more delivery of the same event when nothing else happened',
      samples: [
        { at: 0, body: progress },
        { at: 500, body: progress },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'repeated', secondsAfter: 500 }]],
    },
    {
      name: 'sees that it happened again once no retry can come any more',
      samples: [
        { at: 0, body: progress },
        { at: 70_000, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 70_000, because: 'after-retry-window' }],
      ],
    },
    {
      name: 'sees that it happened again when two endpoints say so within seconds, although a retry could explain each',
      samples: [
        { at: 0, body: progress },
        { at: 0.5, body: progress, receiver: 'r2' },
        { at: 10, body: hold },
        { at: 20, body: progress, receiver: 'r2' },
        { at: 20.5, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 0.5 }],
        [{ kind: 'first' }],
        [
          { kind: 'happened-again', secondsAfter: 19.5, because: 'repeated-by-two-endpoints' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
        ],
      ],
    },
    {
      name: 'believes two endpoints that an account came back, but doubts it where both may have sent a retry',
      samples: [
        { at: 0, body: account('ACTIVE') },
        { at: 0.5, body: account('ACTIVE'), receiver: 'r2' },
        { at: 10, body: account('DISABLED') },
        { at: 10.5, body: account('DISABLED'), receiver: 'r2' },
        { at: 20, body: account('ACTIVE') },
        { at: 20.5, body: account('ACTIVE'), receiver: 'r2' },
        { at: 300, body: account('DISABLED') },
        { at: 300.5, body: account('DISABLED'), receiver: 'r2' },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 0.5 }],
        [{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 0.5 }],
        [
          {
            kind: 'happened-again',
            secondsAfter: 20,
            because: 'repeated-by-two-endpoints',
            undecided: true,
          },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
        ],
        [
          { kind: 'happened-again', secondsAfter: 290, because: 'repeated-by-two-endpoints' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
        ],
      ],
    },
    {
      name: 'doubts that an account came back where a patient sender may have sent a retry',
      samples: [
        { at: 0, body: account('ACTIVE') },
        { at: 10, body: account('DISABLED') },
        { at: 45, body: account('ACTIVE') },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 45, because: 'other-event-between', undecided: true }],
      ],
    },
    {
      name: 'sees a retry when the other endpoint says the same only later',
      samples: [
        { at: 0, body: progress },
        { at: 0.5, body: progress, receiver: 'r2' },
        { at: 10, body: hold },
        { at: 20, body: progress },
        { at: 24, body: progress, receiver: 'r2' },
      ],
      reasons: [
        [
          { kind: 'first' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
          { kind: 'retry', secondsAfter: 20, from: 1, retries: 1, undecided: true },
          { kind: 'retry', secondsAfter: 23.5, from: 1, retries: 1, undecided: true },
        ],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees a retry when the other endpoint repeats after an answer that was not surely received',
      samples: [
        { at: 0, body: progress },
        { at: 0.5, body: progress, receiver: 'r2', answer: 'unsure' },
        { at: 10, body: hold },
        { at: 20, body: progress },
        { at: 20.5, body: progress, receiver: 'r2' },
      ],
      reasons: [
        [
          { kind: 'first' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
          { kind: 'retry', secondsAfter: 20, from: 1, retries: 1, undecided: true },
          { kind: 'unsure-answer', secondsAfter: 20, undecided: true },
        ],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees a retry when the other endpoint hears of it for the first time',
      samples: [
        { at: 0, body: pending },
        { at: 10, body: progress },
        { at: 20, body: pending },
        { at: 20.5, body: pending, receiver: 'r2' },
      ],
      reasons: [
        [
          { kind: 'first' },
          { kind: 'retry', secondsAfter: 20, from: 1, retries: 1 },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
        ],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees a hold end and begin again where one endpoint alone reports it, although a retry could explain each',
      samples: [
        { at: 0, body: progress },
        { at: 10, body: hold },
        { at: 20, body: progress },
        { at: 30, body: hold },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 20, because: 'other-event-between', undecided: true }],
        [{ kind: 'happened-again', secondsAfter: 20, because: 'other-event-between', undecided: true }],
      ],
    },
    {
      name: 'sees a retry after a hold where the answer was not surely received',
      samples: [
        { at: 0, body: progress, answer: 'unsure' },
        { at: 10, body: hold },
        { at: 20, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'unsure-answer', secondsAfter: 20, undecided: true }],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees a copy in what comes sooner than any retry, whatever began in between',
      samples: [
        { at: 0, body: progress },
        { at: 0.2, body: hold },
        { at: 0.9, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'repeated', secondsAfter: 0.9, undecided: true }],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'sees retries when two endpoints repeat what nothing else came after',
      samples: [
        { at: 0, body: progress },
        { at: 0.5, body: progress, receiver: 'r2' },
        { at: 20, body: progress },
        { at: 20.5, body: progress, receiver: 'r2' },
      ],
      reasons: [
        [
          { kind: 'first' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
          { kind: 'retry', secondsAfter: 20, from: 1, retries: 1 },
          { kind: 'retry', secondsAfter: 20, from: 1, retries: 1 },
        ],
      ],
    },
    {
      name: 'compares with the latest of two equal events',
      samples: [
        { at: 0, body: progress },
        { at: 100, body: hold },
        { at: 500, body: progress },
        { at: 503, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [
          { kind: 'happened-again', secondsAfter: 500, because: 'other-event-between' },
          { kind: 'retry', secondsAfter: 3, from: 1, retries: 1 },
        ],
      ],
    },
    {
      name: 'sees that it happened again on an endpoint that did not exist when it first happened',
      samples: [
        { at: 0, body: progress, otherReceivers: 0, offPeriods: [] },
        { at: 10, body: hold, otherReceivers: 0, offPeriods: [] },
        { at: 20, body: progress, receiver: 'r2', otherReceivers: 0, offPeriods: [[-1e6, 15]] },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 20, because: 'endpoint-created-later' }],
      ],
    },
    {
      name: 'sees it through a young endpoint and through an old one at once',
      samples: [
        { at: 0, body: progress, otherReceivers: 0, offPeriods: [] },
        { at: 10, body: hold, otherReceivers: 0, offPeriods: [] },
        { at: 20, body: progress, otherReceivers: 1, offPeriods: [] },
        { at: 20.5, body: progress, receiver: 'r2', otherReceivers: 1, offPeriods: [[-1e6, 15]] },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [
          { kind: 'happened-again', secondsAfter: 20, because: 'repeated-by-two-endpoints' },
          { kind: 'other-endpoint', secondsAfter: 0.5 },
        ],
      ],
    },
    {
      name: 'sees the same event on an endpoint that was there all the time and gets it late',
      samples: [
        { at: 0, body: progress, otherReceivers: 1, offPeriods: [] },
        { at: 10, body: hold, otherReceivers: 1, offPeriods: [] },
        { at: 20, body: progress, receiver: 'r2', otherReceivers: 1, offPeriods: [] },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'other-endpoint', secondsAfter: 20 }], [{ kind: 'first' }]],
    },
    {
      name: 'sees an account come back on one endpoint, although a retry could explain it',
      samples: [
        { at: 0, body: account('ACTIVE') },
        { at: 10, body: account('DISABLED') },
        { at: 20, body: account('ACTIVE') },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 20, because: 'other-event-between', undecided: true }],
      ],
    },
    {
      name: 'sees a hold end although something of another type was told within it',
      samples: [
        { at: 0, body: progress },
        { at: 10, body: hold },
        { at: 15, body: { ...progress, type: 'AML', subType: 'CHECK' } },
        { at: 20, body: progress },
      ],
      reasons: [
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'first' }],
        [{ kind: 'happened-again', secondsAfter: 20, because: 'other-event-between', undecided: true }],
      ],
    },
    {
      name: 'sees a retry where only something of another type was told since',
      samples: [
        { at: 0, body: hold },
        { at: 15, body: { ...progress, type: 'AML', subType: 'CHECK' } },
        { at: 20, body: hold },
      ],
      reasons: [
        [{ kind: 'first' }, { kind: 'retry', secondsAfter: 20, from: 1, retries: 1 }],
        [{ kind: 'first' }],
      ],
    },
    {
      name: 'is not confused by a clock that was set back an hour',
      samples: [
        { at: 0, body: progress },
        { at: -3600, body: progress },
      ],
      reasons: [[{ kind: 'first' }, { kind: 'repeated', secondsAfter: 0 }]],
    },
  ])('$name', ({ samples, reasons }) => {
    const byArrival = foldSamples(samples).events.toSorted((a, b) => a.id.localeCompare(b.id))
    expect(byArrival.map((event) => event.deliveries.map((delivery) => delivery.reason))).toEqual(reasons)
  })
})
