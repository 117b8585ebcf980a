import type { TimeInterval } from './interval.ts'
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
  /** Our process is dead: attempts are refused at once. Its heartbeat shows when, to 10 s. */
  readonly deaths: readonly TimeInterval[]
  /** We answer 503 although the body was read, whose digest we keep. */
  readonly refusing: readonly TimeInterval[]
  /** An attempt without an answer ends after up to this many ms. */
  readonly longestTimeOut: number
  /** Share of the answers that never reach the sender. */
  readonly lostShare: number
}

export interface WorldSettings {
  readonly silencesPerDay: number
  /** So many deliveries arrive that a silence of a quarter of an hour is no chance: more than one a minute. */
  readonly busy: boolean
  readonly deathsPerDay: number
  readonly deathLasts: number
  readonly refusingPerDay: number
  readonly longestTimeOut: number
  readonly lostShare: number
}

/** The month of `simulate`: once a day each, a quarter of an hour without network and without a process. */
export const usualWorld: WorldSettings = {
  silencesPerDay: 1,
  busy: true,
  deathsPerDay: 1,
  deathLasts: 15 * 60_000,
  refusingPerDay: 0,
  longestTimeOut: 30_000,
  lostShare: 0.01,
}

/** Every first attempt is taken, and every answer arrives. */
export const calmWorld: WorldSettings = { ...usualWorld, silencesPerDay: 0, deathsPerDay: 0, lostShare: 0 }

export function drawWorld(random: RandomSource, wanted: WorldSettings): SimulatedWorld {
  const silences = draw(random, wanted.silencesPerDay, 15 * 60_000)
  return {
    silences,
    noticed: silences.map((silence) =>
      wanted.busy ? noticedSilence(random, silence) : unansweredRounds(random, silence),
    ),
    deaths: draw(random, wanted.deathsPerDay, wanted.deathLasts),
    refusing: draw(random, wanted.refusingPerDay, 2 * 60_000),
    longestTimeOut: wanted.longestTimeOut,
    lostShare: wanted.lostShare,
  }
}

/** Each somewhere in its own share of the day, so that no two of a kind overlap. */
function draw(random: RandomSource, perDay: number, lasts: number): TimeInterval[] {
  return Array.from({ length: Math.round((days + 3) * perDay) }, (_, index) => {
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
