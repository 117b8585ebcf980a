import type { RandomSource } from './random.ts'

export const day = 86_400_000
export const monthStart = Date.UTC(2026, 0, 1)
export const days = 30

/** What keeps attempts from arriving, or from being taken, and what is known of it. */
export interface SimulatedWorld {
  /** A dead network: every attempt times out. */
  readonly silences: readonly TimeInterval[]
  /**
   * How such a silence is noticed: from the last delivery before it to the first after it, or, where little arrives, by the
   * watcher's rounds that no answer came back from.
   */
  readonly noticed: readonly TimeInterval[]
  /** Our process is dead: attempts are refused at once. */
  readonly deaths: readonly TimeInterval[]
  /** One of two processes is replaced: of the attempts every other is refused. */
  readonly replacing: readonly TimeInterval[]
  /** What our heartbeat shows of both, by its beats. */
  readonly pauses: readonly TimeInterval[]
  /** We answer 503 although the body was read, whose digest we keep. */
  readonly refusing: readonly TimeInterval[]
  /** We answer 503 before the body is read: what was refused is counted by the minute. */
  readonly refusingUnread: readonly TimeInterval[]
  /** An attempt without an answer ends after up to this many ms. */
  readonly longestTimeOut: number
  /** Share of the answers that never reach the sender. */
  readonly lostShare: number
  /** So many ms after an outage it is known. */
  readonly lateMs: number
}

export interface WorldSettings {
  readonly silencesPerDay: number
  /** So many deliveries arrive that a silence of a quarter of an hour is no chance: more than one a minute. */
  readonly busy: boolean
  readonly deathsPerDay: number
  /** At least and at most, in ms. */
  readonly deathLasts: readonly [shortest: number, longest: number]
  readonly replacingPerDay: number
  readonly refusingPerDay: number
  readonly refusingUnreadPerDay: number
  readonly refusingUnreadLasts: readonly [shortest: number, longest: number]
  /** The heartbeat shows when bodies are refused unread as well: the database is away. */
  readonly failsOver: boolean
  readonly longestTimeOut: number
  readonly lostShare: number
  readonly lateMs: number
}

/** The month of `simulate`: once a day each, a quarter of an hour without network and without a process. */
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
export const calmWorld: WorldSettings = { ...usualWorld, silencesPerDay: 0, deathsPerDay: 0, lostShare: 0 }

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

/** Each somewhere in its own share of the day, so that no two of a kind overlap. */
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

/** One a minute: from the last that was answered to the first that is again. */
const unansweredRounds = (random: RandomSource, { began, ended }: TimeInterval): TimeInterval => ({
  began: began - random.between(0, 60_000),
  ended: ended + random.between(0, 60_000),
})

/** By the deliveries around it, about two a minute. */
export const noticedSilence = (random: RandomSource, { began, ended }: TimeInterval): TimeInterval => ({
  began: began - random.waiting(30_000),
  ended: ended + random.waiting(30_000),
})

/** Milliseconds since 1970, the end not included; `Infinity` while it lasts. */
export interface TimeInterval {
  readonly began: number
  readonly ended: number
}

/** The interval around a moment, of some in order that do not overlap. */
export function isWithin(intervals: readonly TimeInterval[], at: number): TimeInterval | undefined {
  const last = intervals[firstAfter(intervals, at) - 1]
  return last && at < last.ended ? last : undefined
}

/** Those in order that begin between two moments. */
export const beginningWithin = (intervals: readonly TimeInterval[], from: number, until: number) =>
  intervals.slice(firstAfter(intervals, from), firstAfter(intervals, until))

/** Where the first stands that begins after a moment: a search by halves. */
function firstAfter(intervals: readonly TimeInterval[], at: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.began ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}
