import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { mayPass } from '#lib/platform/db/connect.ts'
import { insertDeliveries, isOutcomeUnknown, NotDurable, type StoredDelivery } from './insert-deliveries.ts'
import type { Outcome } from './request-and-answer.ts'

/** `Store` appends deliveries to the log, many in one commit, and answers only after that commit. */
export interface Store {
  /** `elapsedMs` is the part of the answer's time limit that has passed already. */
  store(receiverId: string, body: Uint8Array, elapsedMs?: number): Promise<Outcome>
  /** The estimate says how many milliseconds a new delivery would wait to be stored, at the present speed. */
  estimatedWaitMs(): number
  /** `close` resolves when everything taken so far is answered. */
  close(): Promise<void>
}

export interface StoreHooks {
  /** `onStored` is called after deliveries were committed. */
  readonly onStored: (count: number) => void
  /** `onUnsure` names a delivery that may be in the log although its sender was asked to send it again. */
  readonly onUnsure: (deliveryId: string) => void
}

export interface StoreLimits {
  /** A waiting delivery is answered "not stored" after this many milliseconds. */
  readonly answerMs: number
  /** At most this many deliveries wait. */
  readonly maxQueued: number
  /** One statement has at most this many deliveries and bytes. */
  readonly maxBatch: number
  readonly maxBatchBytes: number
}

// The service is promised an answer within 3 s. The rest is for the network.
export const storeLimits: StoreLimits = {
  answerMs: 2_500,
  maxQueued: 10_000,
  maxBatch: 200,
  maxBatchBytes: 8 * 1024 * 1024,
}

interface Waiting extends StoredDelivery {
  // biome-ignore-start lint/plugin: changes while a delivery waits for its commit
  answered: boolean
  /** An earlier try may have been committed, whatever the result of the next one. */
  unsure: boolean
  /** The cause is the error of the latest try. */
  cause: unknown
  // biome-ignore-end lint/plugin: as above
  readonly answer: (outcome: Outcome) => void
}

export function openStore(pool: pg.Pool, hooks: StoreHooks, limits = storeLimits): Store {
  const queue: Waiting[] = []
  /** These deliveries are in the log, and not answered yet. */
  let committed: Waiting[] = []
  let flushing: Promise<void> | undefined
  /** The average is of the last full batch, in milliseconds; 0 while no delivery waits. */
  let msPerDelivery = 0

  function store(receiverId: string, body: Uint8Array, elapsedMs = 0): Promise<Outcome> {
    if (queue.length >= limits.maxQueued) return Promise.resolve({ kind: 'queue-full' })
    return new Promise((resolve) => {
      const waiting: Waiting = {
        id: uuidv7(),
        receiverId,
        body,
        answered: false,
        unsure: false,
        cause: undefined,
        answer(outcome) {
          if (waiting.answered) return
          waiting.answered = true
          clearTimeout(timeout)
          resolve(outcome)
        },
      }
      const timeout = setTimeout(
        () => waiting.answer({ kind: 'too-late', cause: waiting.cause }),
        limits.answerMs - elapsedMs,
      )
      queue.push(waiting)
      flushing ??= flushAll()
    })
  }

  /**
   * One statement runs at a time, and new deliveries wait for the next one. The answers to a batch are sent once the next
   * statement is on its way, so that the database does not wait for them.
   */
  async function flushAll() {
    while (queue.length > 0) {
      await restOfTurn()
      const batch = takeBatch(queue, limits)
      // Only a full batch gives a usable average: a small batch takes almost as long as a full one.
      const full = queue.length > 0 && batch.length > 0
      const began = performance.now()
      const flushed = flush(batch)
      setImmediate(answerCommitted)
      await flushed
      if (full) msPerDelivery = (performance.now() - began) / batch.length
    }
    answerCommitted()
    msPerDelivery = 0
    flushing = undefined
  }

  async function flush(batch: Waiting[]) {
    try {
      await insert(batch)
      committed.push(...batch)
    } catch (error) {
      for (const waiting of batch) waiting.cause = error
      const refused = !(error instanceof NotDurable) && !isOutcomeUnknown(error)
      // No row is the cause. Another connection may reach a healthy database, or a lock may be free by then.
      if (refused && mayPass(error)) return retry(batch)
      if (!refused) for (const waiting of batch) waiting.unsure = true
      if (refused) await flushOneByOne(batch)
      else if (error instanceof NotDurable) for (const waiting of batch) fail(waiting)
      else await retry(batch)
    }
  }

  /**
   * `retry` sends the same ids again, so rows that were committed are not doubled. It ends when their senders have been
   * answered.
   */
  async function retry(batch: Waiting[]) {
    for (const waiting of batch) if (waiting.answered) fail(waiting)
    const open = batch.filter(({ answered }) => !answered)
    if (open.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
    await flush(open)
  }

  /** `flushOneByOne` inserts the rows of a failed batch one by one, so that only the faulty row fails. */
  async function flushOneByOne(batch: Waiting[]) {
    for (const [index, waiting] of batch.entries()) {
      if (waiting.answered) {
        fail(waiting)
        continue
      }
      try {
        await insert([waiting])
        succeed(waiting)
      } catch (error) {
        waiting.cause = error
        const unknown = isOutcomeUnknown(error)
        if (unknown || error instanceof NotDurable) waiting.unsure = true
        if (unknown || mayPass(error)) return retry(batch.slice(index))
        fail(waiting)
      }
    }
  }

  /** An insert is never cancelled. After the limit the connection is closed and the outcome stays unknown. */
  async function insert(batch: readonly Waiting[]) {
    await insertDeliveries(pool, batch, limits.answerMs)
    hooks.onStored(batch.length)
  }

  function answerCommitted() {
    const batch = committed
    committed = []
    for (const waiting of batch) succeed(waiting)
  }

  function succeed(waiting: Waiting) {
    if (waiting.answered) hooks.onUnsure(waiting.id)
    waiting.answer({ kind: 'stored', deliveryId: waiting.id })
  }

  /** A delivery that is not surely stored is answered 503, unless the time for an answer has passed. */
  function fail(waiting: Waiting) {
    if (waiting.unsure) hooks.onUnsure(waiting.id)
    waiting.answer({ kind: 'database', cause: waiting.cause })
  }

  return {
    store,
    estimatedWaitMs: () => queue.length * msPerDelivery,
    async close() {
      while (flushing) await flushing
    },
  }
}

/** The pause ends when every request that has already arrived is queued: a commit costs as much for one as for many. */
const restOfTurn = () => new Promise((resolve) => setImmediate(resolve))

/** `takeBatch` takes the next rows of the queue, at least one. It leaves out rows whose sender was already answered. */
function takeBatch(queue: Waiting[], limits: StoreLimits): Waiting[] {
  let count = 0
  let bytes = 0
  for (const { body } of queue) {
    if (count === limits.maxBatch || (count > 0 && bytes + body.length > limits.maxBatchBytes)) break
    bytes += body.length
    count += 1
  }
  return queue.splice(0, count).filter(({ answered }) => !answered)
}
