import { setTimeout as sleep } from 'node:timers/promises'
import type { Envelope } from '../state/event-types.ts'
import type { Ids } from '../state/ids.ts'
import type { Log } from '../state/log.ts'
import { createRandom } from '../state/random.ts'
import { createTraffic, type TrafficRequest } from './traffic.ts'

/** `perSecond` events, one after the other, until there were `events`; in real time whatever the clock says. */
export type LoadRequest = TrafficRequest & {
  perSecond: number
  events: number
  /** Sends events of one moment, and answers how many deliveries they make. */
  send(envelopes: Envelope[]): Promise<number>
}

export type LoadProgress = LoadRequest & {
  id: string
  state: 'running' | 'finished' | 'stopped' | 'failed'
  /** Events sent by now, and the real seconds that took. */
  sent: number
  seconds: number
  /** What these events make: one delivery for each endpoint that wants it. */
  deliveries: number
}

/** Sends plausible events at a given pace. It is kept in memory: it ends with the sandbox, and with a reset. */
export interface Load {
  /** Answers undefined while another one runs. */
  start(request: LoadRequest): LoadProgress | undefined
  /** What runs, or ran last. */
  progress(): LoadProgress | undefined
  /** Answers when the last event is sent. */
  stop(): Promise<void>
  /** Stops, and forgets what ran. */
  clear(): Promise<void>
}

export function createLoad({ ids, log, stopping }: { ids: Ids; log: Log; stopping: AbortSignal }): Load {
  let latest: { progress: LoadProgress; stop: AbortController; done: Promise<void> } | undefined

  async function stop() {
    latest?.stop.abort()
    await latest?.done
  }

  return {
    start(request) {
      if (latest?.progress.state === 'running') return undefined
      const id = ids.uuid('load')
      const progress: LoadProgress = { ...request, id, state: 'running', sent: 0, seconds: 0, deliveries: 0 }
      const abort = new AbortController()
      const traffic = createTraffic(progress, createRandom(ids.whole('load', 2 ** 32)))
      const done = run(progress, traffic, AbortSignal.any([abort.signal, stopping]), log)
      latest = { progress, stop: abort, done }
      return progress
    },
    progress: () => latest?.progress,
    stop,
    async clear() {
      await stop()
      latest = undefined
    },
  }
}

/** Never throws: what goes wrong ends in the log and in `progress`. */
async function run(
  progress: LoadProgress,
  traffic: ReturnType<typeof createTraffic>,
  stop: AbortSignal,
  log: Log,
): Promise<void> {
  const { perSecond, events } = progress
  const started = performance.now()
  const passed = () => (performance.now() - started) / 1000
  try {
    while (progress.sent < events && !stop.aborted) {
      const seconds = passed()
      const due = Math.floor(seconds * perSecond) + 1
      const batch = Math.min(due, events, progress.sent + mostAtOnce) - progress.sent
      progress.deliveries += await progress.send(Array.from({ length: batch }, () => traffic.next(seconds)))
      progress.sent += batch
      const wait = Math.max(progress.sent / perSecond - passed(), shortestWait) * 1000
      await sleep(wait, undefined, { signal: stop }).catch(endedEarly)
      progress.seconds = passed()
    }
    progress.state = progress.sent < events ? 'stopped' : 'finished'
  } catch (error) {
    progress.state = 'failed'
    log.error({ err: error }, 'load failed')
  }
}

/** Events in one statement: the pace when the database cannot keep up. */
const mostAtOnce = 1_000

/** Seconds between two statements: what comes due meanwhile shares the next. */
const shortestWait = 0.02

/** The wait was broken off. */
const endedEarly = () => undefined
