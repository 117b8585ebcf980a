import { createSend } from '../faults/on-deliveries.ts'
import type { Sandbox } from '../sandbox.ts'
import { afterAttempt } from './ladder.ts'
import { recordAttempt } from './record-attempt.ts'
import { isSuccess } from './send.ts'
import { type DueDelivery, takeDue } from './take-due.ts'

export type Deliverer = {
  /** Attempts everything that is due at one endpoint, and answers when nothing is left. */
  deliver(endpointUuid: string): Promise<void>
  /** Starts no further attempt, gives those under way up to `graceMs`, then breaks them off unrecorded. */
  stop(graceMs: number): Promise<void>
}

/**
 * One loop per endpoint, each with its own bound, so that a slow receiver delays nobody else. The loop takes what is
 * due from the table; a job that finds its endpoint's loop running only tells it to look again.
 */
export function createDeliverer(sandbox: Sandbox): Deliverer {
  const loops = new Map<string, { lookAgain(): void; done: Promise<void> }>()
  const send = createSend(sandbox.faults)
  const stopping = new AbortController()
  const breakOff = new AbortController()

  async function deliver(endpointUuid: string) {
    const running = loops.get(endpointUuid)
    if (running) return running.lookAgain()
    const news = createSignal()
    const done = run(endpointUuid, news).finally(() => loops.delete(endpointUuid))
    loops.set(endpointUuid, { lookAgain: news.raise, done })
    return done
  }

  async function run(endpointUuid: string, news: Signal) {
    const underWay = new Map<string, Promise<void>>()
    let failure: unknown
    while (!stopping.signal.aborted && !failure) {
      news.lower()
      const room = AT_ONCE_PER_ENDPOINT - underWay.size
      const due = room > 0 ? await takeDue(sandbox, endpointUuid, [...underWay.keys()], room) : []
      for (const delivery of due) {
        const attempted = attempt(endpointUuid, delivery)
          .catch((error: unknown) => {
            failure = error
          })
          .finally(() => underWay.delete(delivery.id))
        underWay.set(delivery.id, attempted)
      }
      if (underWay.size === 0 && !news.raised()) break
      if (due.length < room || room === 0) await Promise.race([...underWay.values(), news.wait()])
    }
    await Promise.all(underWay.values())
    if (failure) throw failure
  }

  async function attempt(endpointUuid: string, delivery: DueDelivery) {
    const { clock, options, log } = sandbox
    const startedAt = clock.now()
    const started = performance.now()
    const answer = await send(endpointUuid, {
      ...delivery,
      timeoutMs: options.deliveryTimeoutMs,
      stop: breakOff.signal,
    })
    if (breakOff.signal.aborted && answer.kind === 'unanswered') return
    const number = delivery.attempts + 1
    const next = afterAttempt(number, isSuccess(answer))
    const durationMs = Math.round(performance.now() - started)
    await recordAttempt(sandbox, {
      deliveryId: delivery.id,
      number,
      url: delivery.url,
      startedAt,
      durationMs,
      answer,
      next,
    })
    const result = answer.kind === 'answered' ? { status: answer.status } : { failure: answer.failure }
    log.debug(
      { delivery: delivery.id, attempt: number, ms: durationMs, ...result, state: next.state },
      'delivery',
    )
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

/** Attempts under way at one endpoint at a time. */
const AT_ONCE_PER_ENDPOINT = 32

type Signal = { raise(): void; lower(): void; raised(): boolean; wait(): Promise<void> }

function createSignal(): Signal {
  let raised = false
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    raise: () => {
      raised = true
      resolve()
    },
    lower: () => {
      raised = false
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
    raised: () => raised,
    wait: () => promise,
  }
}
