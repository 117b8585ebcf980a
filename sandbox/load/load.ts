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

/** `perSecond` events, one after the other, until there were `events`; in real time whatever the clock says. */
type LoadRequest = TrafficRequest & {
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
interface Load {
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

/** What the control interface and the console work with: a load can be started, and a reset stops it. */
export type SandboxWithLoad = Sandbox & { load: Load }

/** Sends events as a play would, many at once. Answers the number of deliveries. */
export const sendAll = ({ pool, clock, ids }: Sandbox, envelopes: Envelope[]): Promise<number> =>
  transaction(pool, async (database) => {
    for (const envelope of envelopes) await followKyc(database, envelope)
    const events = envelopes.map((envelope) => ({ id: ids.uuid('load event'), envelope }))
    return emitAll(database, clock, events)
  })

interface TrafficRequest {
  /** The time that bodies with a time in them give. */
  readonly startsAt: Date
  readonly people: readonly [EventPerson, ...EventPerson[]]
  /** Which scenarios are begun, and how often relative to each other. */
  readonly mix: readonly [Share, ...Share[]]
}

export interface Share {
  readonly scenario: Scenario
  readonly weight: number
}

interface Traffic {
  /** The event that comes `seconds` after the start; to be asked with times that never go back. */
  next(seconds: number): Envelope
}

/**
 * Mixes scenarios of many people, each in its own order and at a fiftieth of its real pauses. Whichever
 * scenario is due continues; if none is, another starts.
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

/** Seconds between two events of a scenario, so that they still arrive in their order. */
const shortestPause = 0.2
