import { createSend } from '../faults/on-deliveries.ts'
import type { Sandbox } from '../sandbox.ts'
import { inBatches } from './in-batches.ts'
import { type Attempt, recordAttempts } from './record-attempts.ts'
import { type AfterAttempt, afterAttempt } from './retry-schedule.ts'
import { isSuccess } from './send.ts'
import { type DueDelivery, takeDue } from './take-due.ts'

export type Deliverer = {
  /** Attempts everything that is due at one endpoint, and answers when nothing is left. */
  deliver(endpointUuid: string): Promise<void>
  /** Starts no further attempt, gives those under way up to `graceMs`, then breaks them off unrecorded. */
  stop(graceMs: number): Promise<void>
}

type Parts = Pick<Sandbox, 'pool' | 'clock' | 'log' | 'options' | 'faults'>

/**
 * One loop per endpoint, each with its own bound, so that a slow receiver delays nobody else. The loop takes what is
 * due from the table; a job that finds its endpoint's loop running only tells it to look again.
 *
 * Nothing due is left lying: its job comes after it is stored and due, and either begins a loop or raises the news of
 * the one that runs. That one lowers its news before it looks, so what comes during a look leads to another, and it
 * leaves `loops` in the same step in which it finds no news. What a look passed over, for want of room or because its
 * last attempt was not yet recorded, is news once that is over. A look or a record that fails ends the loop and fails
 * the job that began it, which is then run again; after a crash, `takeOver` looks everywhere.
 */
export function createDeliverer(sandbox: Parts): Deliverer {
  const { clock, options, log } = sandbox
  const loops = new Map<string, { news: News; done: Promise<void> }>()
  const send = createSend(sandbox.faults)
  const record = inBatches((attempts: readonly Attempt[]) => recordAttempts(sandbox, attempts))
  const stopping = new AbortController()
  const breakOff = new AbortController()

  async function deliver(endpointUuid: string) {
    const running = loops.get(endpointUuid)
    if (running) return running.news.raise()
    const loop = { news: createNews(), done: Promise.resolve() }
    loops.set(endpointUuid, loop)
    loop.done = run(endpointUuid, loop.news)
    return loop.done
  }

  async function run(endpointUuid: string, news: News) {
    const underWay = new Set<string>()
    let failure: unknown
    const goesOn = () => !stopping.signal.aborted && failure === undefined
    const fail = (error: unknown) => {
      failure ??= error
    }

    async function startDue() {
      const room = AT_ONCE_PER_ENDPOINT - underWay.size
      const due = await takeDue(sandbox, endpointUuid, [...underWay], room)
      if (!goesOn()) return
      if (due.length === room) news.raise()
      for (const delivery of due) {
        underWay.add(delivery.id)
        void attempt(endpointUuid, delivery)
          .catch(fail)
          .then((next) => {
            underWay.delete(delivery.id)
            if (next?.state === 'waiting') news.raise()
            else news.stir()
          })
      }
    }

    for (;;) {
      if (news.raised() && goesOn() && underWay.size < AT_ONCE_PER_ENDPOINT) {
        news.lower()
        await startDue().catch(fail)
      } else if (underWay.size > 0) {
        await news.stirred()
      } else break
    }
    loops.delete(endpointUuid)
    if (failure !== undefined) throw failure
  }

  /** Answers what becomes of the delivery, once that is recorded. */
  async function attempt(endpointUuid: string, delivery: DueDelivery): Promise<AfterAttempt | undefined> {
    const startedAt = clock.now()
    const started = performance.now()
    const answer = await send(endpointUuid, {
      ...delivery,
      timeoutMs: options.deliveryTimeoutMs,
      stop: breakOff.signal,
    })
    if (breakOff.signal.aborted && answer.kind === 'unanswered') return undefined
    const number = delivery.attempts + 1
    const next = afterAttempt(number, isSuccess(answer, options.successStatuses))
    const durationMs = Math.round(performance.now() - started)
    await record({
      endpointUuid,
      deliveryId: delivery.id,
      number,
      url: delivery.url,
      startedAt,
      endedAt: clock.now(),
      durationMs,
      answer,
      next,
    })
    const result = answer.kind === 'answered' ? { status: answer.status } : { failure: answer.failure }
    log.debug(
      { delivery: delivery.id, attempt: number, ms: durationMs, ...result, state: next.state },
      'delivery',
    )
    return next
  }

  return {
    deliver,
    async stop(graceMs) {
      stopping.abort()
      const timer = setTimeout(() => breakOff.abort(), graceMs)
      await Promise.allSettled([...loops.values()].map((loop) => loop.done))
      clearTimeout(timer)
    },
  }
}

/** Attempts under way at one endpoint at a time, from being taken to being recorded. */
const AT_ONCE_PER_ENDPOINT = 128

/** Whether there is something to look at; waiting for it also ends when anything else has changed (`stir`). */
type News = {
  raise(): void
  lower(): void
  raised(): boolean
  stir(): void
  stirred(): Promise<void>
}

function createNews(): News {
  let raised = true
  let next = Promise.withResolvers<void>()
  const stir = () => {
    next.resolve()
    next = Promise.withResolvers<void>()
  }
  return {
    raise() {
      raised = true
      stir()
    },
    lower() {
      raised = false
    },
    raised: () => raised,
    stir,
    stirred: () => next.promise,
  }
}
