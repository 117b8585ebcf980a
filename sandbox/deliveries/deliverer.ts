import type { Sandbox } from '../state/sandbox.ts'
import { type AfterAttempt, afterAttempt } from './retry-schedule.ts'
import { type Attempt, createFaultySend, isSuccess, recordAttempts } from './send.ts'

export interface Deliverer {
  /** The promise settles when nothing due is left at the endpoint. */
  deliver(endpointUuid: string): Promise<void>
  /** The promise settles when the copies of all attempts recorded so far are sent. */
  copiesSent(): Promise<void>
  /**
   * The deliverer starts no further attempt, waits up to `graceMs` for those in progress, and then aborts them unrecorded.
   */
  stop(graceMs: number): Promise<void>
}

type DelivererParts = Pick<Sandbox, 'pool' | 'clock' | 'log' | 'options' | 'faults'>

/**
 * Each endpoint has its own loop, so a slow receiver delays no other. A job for a running loop sets its signal, and so does
 * a read that skipped deliveries (no free slot, or a last attempt not yet recorded). A loop clears the signal before it
 * reads. A failed loop fails its job, which is retried; after a crash, `recoverJobs` queues what is due.
 */
export function createDeliverer(sandbox: DelivererParts): Deliverer {
  const { clock, options, log } = sandbox
  const loops = new Map<string, { signal: Signal; done: Promise<void> }>()
  const record = inBatches((attempts: readonly Attempt[]) => recordAttempts(sandbox, attempts))
  const finishing = new Set<Promise<void>>()
  const stopping = new AbortController()
  const breakOff = new AbortController()
  const ways = { timeoutMs: options.deliveryTimeoutMs, stop: breakOff.signal }
  const send = createFaultySend(
    sandbox.faults,
    stopping.signal,
    async (delivery: DueDelivery & typeof ways) => {
      const place = await findPlace(sandbox, delivery)
      return place && { ...delivery, ...place }
    },
  )

  async function deliver(endpointUuid: string) {
    const running = loops.get(endpointUuid)
    if (running) return running.signal.set()
    const loop = { signal: createSignal(), done: Promise.resolve() }
    loops.set(endpointUuid, loop)
    loop.done = run(endpointUuid, loop.signal)
    return loop.done
  }

  async function run(endpointUuid: string, signal: Signal) {
    const inFlight = new Set<string>()
    let failure: unknown
    const hasMore = () => !stopping.signal.aborted && failure === undefined
    const fail = (error: unknown) => {
      failure ??= error
    }

    async function startDue() {
      const freeSlots = maxConcurrentPerEndpoint - inFlight.size
      const due = await takeDueDeliveries(sandbox, endpointUuid, [...inFlight], freeSlots)
      if (!hasMore()) return
      if (due.length === freeSlots) signal.set()
      for (const delivery of due) {
        inFlight.add(delivery.number)
        void attempt(endpointUuid, delivery)
          .catch(fail)
          .then((next) => {
            inFlight.delete(delivery.number)
            if (!next || next.state === 'waiting') signal.set()
            else signal.wakeWaiters()
          })
      }
    }

    for (;;) {
      if (signal.isSet() && hasMore() && inFlight.size < maxConcurrentPerEndpoint) {
        signal.clear()
        await startDue().catch(fail)
      } else if (inFlight.size > 0) {
        await signal.waitForChange()
      } else break
    }
    loops.delete(endpointUuid)
    if (failure !== undefined) throw failure
  }

  /** The promise settles with the delivery's next state once that is recorded, or without one where nothing was sent. */
  async function attempt(endpointUuid: string, delivery: DueDelivery): Promise<AfterAttempt | undefined> {
    const startedAt = clock.now()
    const started = performance.now()
    const sent = await send(endpointUuid, { ...delivery, ...ways })
    if (!sent) return undefined
    const { answer } = sent
    if (breakOff.signal.aborted && answer.kind === 'unanswered') return undefined
    const number = delivery.attempts + 1
    const next = afterAttempt(number, isSuccess(answer, options.successStatuses))
    const durationMs = Math.round(performance.now() - started)
    const recorded = record({
      endpointUuid,
      deliveryId: delivery.id,
      deliveryNumber: delivery.number,
      number,
      url: sent.delivery.url,
      startedAt,
      endedAt: clock.now(),
      durationMs,
      answer,
      next,
    })
    const finished = recorded.then(sent.sendCopies)
    finishing.add(finished)
    void finished.catch(leaveToItems).then(() => finishing.delete(finished))
    await recorded
    const result = answer.kind === 'answered' ? { status: answer.status } : { failure: answer.failure }
    log.debug(
      { delivery: delivery.id, attempt: number, ms: durationMs, ...result, state: next.state },
      'delivery',
    )
    await finished
    return next
  }

  return {
    deliver,
    async copiesSent() {
      await Promise.allSettled(finishing)
    },
    async stop(graceMs) {
      stopping.abort()
      const timer = setTimeout(() => breakOff.abort(), graceMs)
      await Promise.allSettled([...loops.values()].map((loop) => loop.done))
      clearTimeout(timer)
    },
  }
}

/** One endpoint has at most this many attempts in progress, from being taken to being recorded. */
const maxConcurrentPerEndpoint = 128

/** A loop waits for this signal. Any other change (`stir`) also ends the wait. */
interface Signal {
  set(): void
  clear(): void
  isSet(): boolean
  wakeWaiters(): void
  waitForChange(): Promise<void>
}

function createSignal(): Signal {
  let raised = true
  let next = Promise.withResolvers<void>()
  const wakeWaiters = () => {
    next.resolve()
    next = Promise.withResolvers<void>()
  }
  return {
    set() {
      raised = true
      wakeWaiters()
    },
    clear() {
      raised = false
    },
    isSet: () => raised,
    wakeWaiters,
    waitForChange: () => next.promise,
  }
}

/** Whoever awaits the same promise gets its error. */
const leaveToItems = () => undefined

/** Items that arrive during a write share the next write. Each item's promise settles with its batch. */
function inBatches<Item>(write: (items: readonly Item[]) => Promise<void>) {
  let last: Promise<unknown> = Promise.resolve()
  let next: { items: Item[]; written: Promise<void> } | undefined

  function gather() {
    const items: Item[] = []
    const written = last.then(() => {
      next = undefined
      return write(items)
    })
    last = written.catch(leaveToItems)
    return { items, written }
  }

  return (item: Item): Promise<void> => {
    next ??= gather()
    next.items.push(item)
    return next.written
  }
}

interface DueDelivery {
  readonly id: string
  /** After a reset to the same seed a new delivery has the id of an old one, and another number. A bigint arrives as text. */
  readonly number: string
  readonly attempts: number
  readonly body: string
  readonly url: string
  readonly secret: string
}

/** The place is an active endpoint's present url and secret, unless the delivery or its endpoint is gone. */
async function findPlace({ pool }: Pick<Sandbox, 'pool'>, { id, number }: DueDelivery) {
  const { rows } = await pool.query<Pick<DueDelivery, 'url' | 'secret'>>(
    `SELECT w.url, w.signing_secret AS secret FROM delivery d JOIN webhook_endpoint w ON w.uuid = d.endpoint_uuid
     WHERE d.id = $1 AND d.number = $2 AND w.status = 'active'`,
    [id, number],
  )
  return rows[0]
}

/**
 * Due deliveries of an endpoint are taken oldest first, with its present url and secret. They are stopped if the endpoint is
 * not active. ASSUMED: a stopped delivery stays stopped when the endpoint is enabled again.
 */
async function takeDueDeliveries(
  { pool, clock }: Pick<Sandbox, 'pool' | 'clock'>,
  endpointUuid: string,
  except: string[],
  limit: number,
): Promise<DueDelivery[]> {
  const now = clock.now()
  const { rows } = await pool.query<DueDelivery & { status: string }>(
    `SELECT d.id, d.number, d.attempts, e.body, w.url, w.signing_secret AS secret, w.status
     FROM webhook_endpoint w JOIN delivery d ON d.endpoint_uuid = w.uuid JOIN event e ON e.id = d.event_id
     WHERE d.endpoint_uuid = $1 AND d.state = 'waiting' AND d.due_at <= $2 AND d.number <> ALL ($3)
     ORDER BY d.due_at, d.number LIMIT $4`,
    [endpointUuid, now, except, limit],
  )
  if (rows.every((row) => row.status === 'active')) return rows
  await pool.query(
    `UPDATE delivery SET state = 'stopped'
     WHERE endpoint_uuid = $1 AND state = 'waiting' AND due_at <= $2 AND number <> ALL ($3)`,
    [endpointUuid, now, except],
  )
  return []
}
