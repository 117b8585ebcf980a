import { retryWindowSeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import type { RandomSource } from './paths.ts'
import { day, isWithin, monthStart, noticedSilence, type TimeInterval } from './world.ts'

/** One of these changes happens to the endpoints in the middle of a life. */
export const changes = ['created', 'disabled', 'auto-disabled', 'replaced', 'subscribed'] as const
export type EndpointChangeKind = (typeof changes)[number]

/** An endpoint says when it gets the type of the life, and what is known of that. */
export interface SimulatedEndpoint {
  readonly receiver: string
  readonly on: readonly Period[]
  /** Nothing is sent to the endpoint from here on, not even an earlier attempt again. */
  readonly deletedAt: number
  /** Only this endpoint's network is dead. The service notices and switches it off. */
  readonly silences: readonly TimeInterval[]
  /** These are the times in which it is known that the endpoint got nothing. */
  readonly knownOff: readonly TimeInterval[]
}

interface Period extends TimeInterval {
  /**
   * The known `began` is never too late, and the known `ended` is never too early. Both are exact where the change was made
   * here.
   */
  readonly knownBegan: number
  readonly knownEnded: number
}

const before = monthStart - 90 * day
const watchEvery = 60_000
const always: Period = { began: before, ended: Infinity, knownBegan: before, knownEnded: Infinity }

/** The function draws `count` endpoints, with `change` in the midst of what happens at `moments`. */
export function drawEndpoints(
  random: RandomSource,
  count: number,
  change: EndpointChangeKind | null,
  moments: readonly number[],
): SimulatedEndpoint[] {
  const steady = (index: number): SimulatedEndpoint => endpoint(index, [always])
  if (!change) return Array.from({ length: count }, (_, index) => steady(index))
  const [from, until] = twoMoments(random, moments)
  const others = Array.from({ length: count - 1 }, (_, index) => steady(index + 1))
  switch (change) {
    case 'created':
      return [steady(0), ...others, endpoint(count, [since(from)])]
    case 'replaced': {
      // The gap ranges from a pause of a minute to an overlap of ten.
      const gone = from + random.between(-60_000, 600_000)
      return [
        ...others,
        { ...endpoint(0, [{ ...always, ended: gone, knownEnded: gone }]), deletedAt: gone },
        endpoint(count, [since(from)]),
      ]
    }
    case 'subscribed':
      // The endpoint got nothing of this type before. Half of these endpoints get nothing later either.
      return [
        ...others,
        endpoint(0, [random.chance(0.5) ? since(from) : { ...since(from), ended: until, knownEnded: until }]),
      ]
    case 'disabled':
      return [
        ...others,
        {
          ...endpoint(0, [{ ...always, ended: from, knownEnded: from }, since(until)]),
          knownOff: [{ began: from, ended: until }],
        },
      ]
    case 'auto-disabled': {
      const seen = from + random.between(0, watchEvery)
      const again = { ...since(until), knownBegan: Math.max(from, until - random.between(0, watchEvery)) }
      const failing = { began: from - random.between(0, 20 * 60_000), ended: from }
      return [
        ...others,
        {
          ...endpoint(0, [{ ...always, ended: from, knownEnded: seen }, again]),
          silences: [failing],
          knownOff: [noticedSilence(random, { began: failing.began, ended: until })],
        },
      ]
    }
  }
}

const endpoint = (index: number, on: readonly Period[]): SimulatedEndpoint => ({
  receiver: `receiver-${index}`,
  on,
  deletedAt: Infinity,
  silences: [],
  knownOff: [],
})

const since = (began: number): Period => ({ began, ended: Infinity, knownBegan: began, knownEnded: Infinity })

/** Each moment lies in the stay between two events, the second in the same stay or a later one. */
function twoMoments(random: RandomSource, moments: readonly number[]): [number, number] {
  const draw = () => {
    const index = Math.floor(random.between(0, moments.length - 1))
    return random.between(moments[index] ?? monthStart, moments[index + 1] ?? monthStart)
  }
  const [one, other] = [draw(), draw()]
  return one < other ? [one, other] : [other, one]
}

/** The periods say when the endpoint is known to have got nothing, before a moment at which it gets something. */
export function knownOffPeriods({ on }: SimulatedEndpoint, at: number): TimeInterval[] {
  const begun = on.filter(({ began }) => began <= at)
  return begun
    .map(({ knownBegan }, index) => ({
      began: begun[index - 1]?.knownEnded ?? -Infinity,
      ended: knownBegan,
    }))
    .filter(({ ended }) => ended > at - retryWindowSeconds * 1000)
}

export const isKnownOn = ({ on }: SimulatedEndpoint, at: number): boolean =>
  on.some(({ knownBegan, knownEnded }) => at >= knownBegan && at < knownEnded)

export const isOn = ({ on }: SimulatedEndpoint, at: number): boolean => isWithin(on, at) !== undefined
