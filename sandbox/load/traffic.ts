import type { EventPerson } from '../scenarios/bodies.ts'
import type { Scenario, ScenarioStep } from '../scenarios/scenario.ts'
import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/random.ts'

export interface TrafficRequest {
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

export interface Traffic {
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
