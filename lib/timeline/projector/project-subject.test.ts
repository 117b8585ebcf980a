import fc from 'fast-check'
import { expect, it } from 'vitest'
import { start, step, transaction } from '../../../test/sample-deliveries.ts'
import type { NewEventDeliveryRow, NewEventRow, NewIdentifierRow } from '../tables/event.ts'
import { readDelivery, readKnownBody } from './bodies.ts'
import {
  type KnownSubject,
  type NewDelivery,
  projectSubject,
  type SubjectChanges,
} from './project-subject.ts'
import { deliveryKey, eventKey, rowText } from './rows.ts'

const bodies = [
  step('PENDING'),
  step('IN_PROGRESS'),
  step('ON_HOLD'),
  step('CRYPTO_TRANSFER_ISSUED'),
  step('SUCCESS'),
  step('FAILED'),
  step('REFUNDED'),
  step('SOMETHING_NEW', { amountCrypto: 5, transactionHash: '0xabc' }),
  { ...step('CHECK'), type: 'SOMETHING_ELSE' },
]

const spaced = (said: object) => JSON.stringify(said, null, 1)
const backwards = (said: object) => JSON.stringify(Object.fromEntries(Object.entries(said).reverse()))

const deliveries = fc.array(
  fc.record({
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 100_000 })),
    body: fc.constantFrom(...bodies),
    receiver: fc.constantFrom('r1', 'r2'),
    answer: fc.constantFrom('sure', 'unsure'),
    /** The bytes differ, but the content is the same. */
    written: fc.constantFrom(JSON.stringify, spaced, backwards),
  }),
  { minLength: 1, maxLength: 20 },
)

/** The work on one delivery may go wrong in any of these ways, in any order and number. */
const work = fc.array(
  fc.record({
    /** The batch takes these deliveries, even if they were taken before. */
    from: fc.nat(19),
    count: fc.integer({ min: 1, max: 6 }),
    /** The process dies before or after the batch is written; the next one knows only the rows. */
    crash: fc.constantFrom('none', 'before-write', 'after-write'),
    /** The answer is recorded as lost only after the delivery was folded. */
    notedYet: fc.boolean(),
  }),
  { maxLength: 12 },
)

it('any order, batches, repetitions and crashes end in the same rows', () => {
  fc.assert(
    fc.property(deliveries, work, fc.boolean(), (given, batches, lastFirst) => {
      const newDeliveries = given.map(newFact)
      const atOnce = new Tables()
      atOnce.fold(newDeliveries, true)

      const tables = new Tables()
      for (const { from, count, crash, notedYet } of batches) {
        const batch = Array.from(
          { length: count },
          (_, index) => newDeliveries[(from + index) % newDeliveries.length],
        )
        tables.fold(
          batch.filter((fact) => fact !== undefined),
          notedYet,
          crash,
        )
      }
      for (const fact of lastFirst ? newDeliveries.toReversed() : newDeliveries) tables.fold([fact], true)

      expect(tables.rows()).toEqual(atOnce.rows())
      expect(atOnce.rows().deliveries).toHaveLength(given.length)
    }),
    { numRuns: 300 },
  )
})

/** The rows of one subject are written batch by batch and read back, as the projector does it. */
class Tables {
  readonly #events = new Map<string, NewEventRow>()
  readonly #deliveries = new Map<string, NewEventDeliveryRow>()
  readonly #identifiers = new Map<string, NewIdentifierRow>()
  #transaction: SubjectChanges['transaction'] = null
  #kept: KnownSubject | null = null

  fold(
    newDeliveries: readonly NewDelivery[],
    noted: boolean,
    crash: 'none' | 'before-write' | 'after-write' = 'none',
  ) {
    const facts = noted
      ? newDeliveries
      : newDeliveries.map((one) => ({ ...one, fact: { ...one.fact, answer: 'sure' as const } }))
    const unsure = facts.filter(({ fact }) => fact.answer === 'unsure').map(({ fact }) => fact.id)
    const { changes, known } = projectSubject(transaction, this.#kept ?? this.#read(), facts, new Set(unsure))
    if (crash !== 'before-write') this.#write(changes)
    this.#kept = crash === 'none' ? known : null
  }

  rows() {
    return {
      events: [...this.#events.values()].sort((a, b) => a.position - b.position),
      deliveries: [...this.#deliveries.values()].sort((a, b) => Number(a.seq) - Number(b.seq)),
      identifiers: [...this.#identifiers.values()].sort((a, b) => (a.value < b.value ? -1 : 1)),
      transaction: this.#transaction,
    }
  }

  #write({ events, removedEvents, deliveries, startedAt, identifiers, transaction }: SubjectChanges) {
    for (const id of removedEvents) this.#events.delete(id)
    for (const event of events) this.#events.set(event.id, event)
    for (const delivery of deliveries) this.#deliveries.set(delivery.delivery_id, delivery)
    if (startedAt !== null)
      for (const [value, one] of this.#identifiers)
        this.#identifiers.set(value, { ...one, started_at: startedAt })
    for (const one of identifiers) this.#identifiers.set(one.value, one)
    this.#transaction = transaction ?? this.#transaction
  }

  #read(): KnownSubject {
    return {
      facts: new Map([...this.#deliveries].map(([id, row]) => [id, this.#knownFact(row)])),
      events: new Map([...this.#events].map(([id, row]) => [id, this.#knownEvent(row)])),
      transactionKey: this.#transaction && rowText(this.#transaction),
      standingKeys: new Map(),
    }
  }

  #knownFact(row: NewEventDeliveryRow) {
    const fingerprint = this.#events.get(row.event_id)?.fingerprint.slice(2) ?? ''
    return {
      fact: {
        id: row.delivery_id,
        order: BigInt(row.seq),
        receivedAt: Date.parse(row.received_at),
        receiver: row.receiver_id,
        fingerprint,
        answer: row.answer,
      },
      key: deliveryKey({ ...row, eventId: row.event_id }),
    }
  }

  #knownEvent(row: NewEventRow) {
    const fingerprint = row.fingerprint.slice(2)
    const key = eventKey({
      ...row,
      fingerprint,
      lastReceivedAt: Date.parse(row.last_received_at),
      placedBefore: row.placed_before === null ? null : Date.parse(row.placed_before),
      cameAgainId: row.came_again_id,
      cameAgainAt: row.came_again_at === null ? null : Date.parse(row.came_again_at),
    })
    return { reading: readKnownBody(logged.get(row.id) ?? Buffer.of(), fingerprint), key }
  }
}

/** The bodies of the log are listed by delivery. */
const logged = new Map<string, Buffer>()

function newFact(
  sample: {
    at: number
    body: object
    receiver: string
    answer: 'sure' | 'unsure'
    written: (said: object) => string
  },
  index: number,
) {
  const body = Buffer.from(sample.written(sample.body))
  const { reading } = readDelivery(body)
  const { receiver, answer } = sample
  const id = `delivery-${String(index).padStart(4, '0')}`
  const receivedAt = start + sample.at * 1000
  const { fingerprint } = reading
  logged.set(id, body)
  return { reading, fact: { id, order: BigInt(index + 1), receivedAt, receiver, fingerprint, answer } }
}
