import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '../database/pool.ts'
import { emitAll } from '../deliveries/emit.ts'
import type { EventPerson } from '../scenarios/bodies.ts'
import { followKyc } from '../scenarios/play.ts'
import type { Scenario, ScenarioStep } from '../scenarios/scenario.ts'
import type { Envelope } from '../state/event-types.ts'
import { createRandom, type Ids, type SeededRandom } from '../state/ids.ts'
import type { Log } from '../state/log.ts'
import type { Sandbox } from '../state/sandbox.ts'

/**
 * A load sends `perSecond` events, one after the other, until it sent `events`. It runs in real time, whatever the clock
 * says.
 */
type LoadRequest = TrafficRequest & {
  perSecond: number
  events: number
  /** The events belong to one moment. The answer is the number of their deliveries. */
  send(envelopes: Envelope[]): Promise<number>
}

export type LoadProgress = LoadRequest & {
  id: string
  state: 'running' | 'finished' | 'stopped' | 'failed'
  sent: number
  seconds: number
  /** Each event makes one delivery for each endpoint that wants it. */
  deliveries: number
}

/** A load sends plausible events at a given pace. It lives in memory, so a restart or a reset of the sandbox ends it. */
interface Load {
  /** The answer is undefined while another load runs. */
  start(request: LoadRequest): LoadProgress | undefined
  /** The progress belongs to the current load, or to the last one. */
  progress(): LoadProgress | undefined
  /** The promise settles when the last event is sent. */
  stop(): Promise<void>
  /** The load stops and its progress is forgotten. */
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

/** The function never throws: a failure goes to the log and into `progress`. */
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

/** One statement holds at most this many events, which limits the pace when the database is slow. */
const mostAtOnce = 1_000

/** Statements are at least this many seconds apart. Events that come due meanwhile share the next one. */
const shortestWait = 0.02

/** The wait was aborted. */
const endedEarly = () => undefined

/** The control interface and the console can start a load, and a reset stops it. */
export type SandboxWithLoad = Sandbox & { load: Load }

/** `sendAll` sends many events at once, as a play would, and answers the number of deliveries. */
export const sendAll = ({ pool, clock, ids }: Sandbox, envelopes: Envelope[]): Promise<number> =>
  transaction(pool, async (database) => {
    for (const envelope of envelopes) await followKyc(database, envelope)
    const events = envelopes.map((envelope) => ({ id: ids.uuid('load event'), envelope }))
    return emitAll(database, clock, events)
  })

interface TrafficRequest {
  /** Bodies that contain a time use this one. */
  readonly startsAt: Date
  readonly people: readonly [EventPerson, ...EventPerson[]]
  /** The mix says which scenarios begin, and how often relative to each other. */
  readonly mix: readonly [Share, ...Share[]]
}

export interface Share {
  readonly scenario: Scenario
  readonly weight: number
}

interface Traffic {
  /** The event comes `seconds` after the start. Callers ask with times that never go back. */
  next(seconds: number): Envelope
}

/**
 * The traffic mixes scenarios of many people, each in its own order and with a fiftieth of its real pauses. The scenario
 * that is due continues; when none is due, another starts.
 */
export function createTraffic({ startsAt, people, mix }: TrafficRequest, random: SeededRandom): Traffic {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0)
  const waiting: { until: number; steps: ScenarioStep[] }[] = []

  function begin(): ScenarioStep[] {
    let left = random.fraction() * total
    const share = mix.find(({ weight }) => {
      left -= weight
      return left < 0
    })
    return (share ?? mix[0]).scenario.build(random.pick(people), random, startsAt).steps
  }

  function goOn(steps: ScenarioStep[], seconds: number) {
    const [next] = steps
    if (!next) return
    const pause = next.afterSeconds * shortened * (0.7 + random.fraction() * 0.8)
    const until = seconds + Math.max(pause, shortestPause)
    waiting.splice(waiting.findLastIndex((other) => other.until <= until) + 1, 0, { until, steps })
  }

  return {
    next(seconds) {
      const first = waiting[0] && waiting[0].until <= seconds ? waiting.shift() : undefined
      const [step, ...rest] = first?.steps ?? begin()
      if (!step) throw new Error('A scenario sends nothing')
      goOn(rest, seconds)
      return step.envelope
    },
  }
}

const shortened = 0.02

/** Two events of a scenario are at least this many seconds apart, so that they arrive in order. */
const shortestPause = 0.2
