import { retryWindowSeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import type { RandomSource } from './paths.ts'

export const day = 86_400_000
export const monthStart = Date.UTC(2026, 0, 1)
export const days = 30

/** A world has outages that keep attempts from arriving or being taken, and what is known of them. */
export interface SimulatedWorld {
  /** The network is dead, so every attempt times out. */
  readonly silences: readonly TimeInterval[]
  /**
   * A silence is noticed from the last delivery before it to the first after it. Where few deliveries arrive, the watcher's
   * unanswered rounds show it.
   */
  readonly noticed: readonly TimeInterval[]
  /** Our process is dead, so attempts are refused at once. */
  readonly deaths: readonly TimeInterval[]
  /** One of two processes is being replaced, so every other attempt is refused. */
  readonly replacing: readonly TimeInterval[]
  /** Our heartbeat shows both by its beats. */
  readonly pauses: readonly TimeInterval[]
  /** We answer 503 after the body was read, and keep its digest. */
  readonly refusing: readonly TimeInterval[]
  /** We answer 503 before the body is read, and count refusals by the minute. */
  readonly refusingUnread: readonly TimeInterval[]
  /** An attempt without an answer ends after up to this many ms. */
  readonly longestTimeOut: number
  /** This share of the answers never reaches the sender. */
  readonly lostShare: number
  /** An outage is known this many ms after it. */
  readonly lateMs: number
}

export interface WorldSettings {
  readonly silencesPerDay: number
  /** When true, more than one delivery a minute arrives, so a silence of a quarter of an hour is no chance. */
  readonly busy: boolean
  readonly deathsPerDay: number
  /** The two values, in ms, are the least and the most. */
  readonly deathLasts: readonly [shortest: number, longest: number]
  readonly replacingPerDay: number
  readonly refusingPerDay: number
  readonly refusingUnreadPerDay: number
  readonly refusingUnreadLasts: readonly [shortest: number, longest: number]
  /** The heartbeat also shows when bodies are refused unread, because the database is away. */
  readonly failsOver: boolean
  readonly longestTimeOut: number
  readonly lostShare: number
  readonly lateMs: number
}

/** The month of `simulate` has a quarter of an hour without network and one without a process each day. */
export const usualWorld: WorldSettings = {
  silencesPerDay: 1,
  busy: true,
  deathsPerDay: 1,
  deathLasts: [15 * 60_000, 15 * 60_000],
  replacingPerDay: 0,
  refusingPerDay: 0,
  refusingUnreadPerDay: 0,
  refusingUnreadLasts: [2 * 60_000, 2 * 60_000],
  failsOver: false,
  longestTimeOut: 30_000,
  lostShare: 0.01,
  lateMs: 0,
}

/** Every first attempt is taken, and every answer arrives. */
export const quietWorld: WorldSettings = { ...usualWorld, silencesPerDay: 0, deathsPerDay: 0, lostShare: 0 }

export function drawWorld(random: RandomSource, wanted: WorldSettings): SimulatedWorld {
  const silences = draw(random, wanted.silencesPerDay, [15 * 60_000, 15 * 60_000])
  const deaths = draw(random, wanted.deathsPerDay, wanted.deathLasts)
  const replacing = draw(random, wanted.replacingPerDay, [10_000, 30_000])
  const refusingUnread = draw(random, wanted.refusingUnreadPerDay, wanted.refusingUnreadLasts)
  return {
    silences,
    noticed: silences.map((silence) =>
      wanted.busy ? noticedSilence(random, silence) : unansweredRounds(random, silence),
    ),
    deaths,
    replacing,
    pauses: [
      ...deaths.map(({ began, ended }) => ({ began: began - random.between(0, beatEvery), ended })),
      ...replacing,
      ...(wanted.failsOver ? refusingUnread : []).map(({ began, ended }) => ({
        began: began - random.between(0, beatEvery),
        ended: ended + random.between(0, beatEvery),
      })),
    ].toSorted((a, b) => a.began - b.began),
    refusing: draw(random, wanted.refusingPerDay, [2 * 60_000, 2 * 60_000]),
    refusingUnread,
    longestTimeOut: wanted.longestTimeOut,
    lostShare: wanted.lostShare,
    lateMs: wanted.lateMs,
  }
}

const beatEvery = 3_000

/** Each outage lies in its own share of the day, so that no two of a kind overlap. */
function draw(
  random: RandomSource,
  perDay: number,
  [shortest, longest]: readonly [number, number],
): TimeInterval[] {
  return Array.from({ length: Math.round((days + 3) * perDay) }, (_, index) => {
    const lasts = shortest === longest ? shortest : random.between(shortest, longest)
    const began = monthStart + (index / perDay) * day + random.between(0, day / perDay - lasts)
    return { began, ended: began + lasts }
  })
}

/** The watcher runs one round a minute. The interval is from the last answered round to the first answered one after it. */
const unansweredRounds = (random: RandomSource, { began, ended }: TimeInterval): TimeInterval => ({
  began: began - random.between(0, 60_000),
  ended: ended + random.between(0, 60_000),
})

/** The deliveries around it show the silence, about two a minute. */
const noticedSilence = (random: RandomSource, { began, ended }: TimeInterval): TimeInterval => ({
  began: began - random.waiting(30_000),
  ended: ended + random.waiting(30_000),
})

/** The times are milliseconds since 1970, the end not included. `Infinity` means that it lasts. */
export interface TimeInterval {
  readonly began: number
  readonly ended: number
}

/** The intervals are in order and do not overlap. The answer is the one around a moment. */
export function isWithin(intervals: readonly TimeInterval[], at: number): TimeInterval | undefined {
  const last = intervals[firstAfter(intervals, at) - 1]
  return last && at < last.ended ? last : undefined
}

/** The intervals are in order. The answer holds those that begin between two moments. */
export const beginningWithin = (intervals: readonly TimeInterval[], from: number, until: number) =>
  intervals.slice(firstAfter(intervals, from), firstAfter(intervals, until))

/** A binary search finds the first interval that begins after a moment. */
function firstAfter(intervals: readonly TimeInterval[], at: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.began ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}

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
