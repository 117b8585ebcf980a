import crypto from 'node:crypto'
import { retryDelaySeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import { subjectId } from '../../../lib/deliveries/rules/subject.ts'
import { drawToggling, drawVerification } from '../../bench/history/account-paths.ts'
import { drawRepeating, type State } from '../../bench/history/paths.ts'
import type { RandomSource } from '../../bench/history/random.ts'

/** What truly happened to one subject: the bodies that report it, in order. */
export interface SubjectLife {
  readonly subject: string
  readonly events: readonly { readonly at: number; readonly state: State; readonly body: string }[]
}

/** An attempt that reaches us. `at` is milliseconds since the story began, as everywhere here. */
export interface LifeArrival {
  readonly at: number
  readonly life: SubjectLife
  readonly event: number
  readonly endpoint: number
  readonly body: string
}

/** From when to when an endpoint is active. One that was not there from the beginning is made at its first moment. */
interface Endpoint {
  readonly active: readonly (readonly [from: number, until: number])[]
  /** The endpoint is deleted at its last moment, since another replaced it. */
  readonly replaced: boolean
}

const hour = 3_600_000
const always = Number.POSITIVE_INFINITY
/** Before the first and after the last of these nothing changes. */
const beginning = -1

/** One or two endpoints are active at any moment; what one receives alone cannot be confirmed by another. */
export const lifeEndpoints: readonly Endpoint[] = [
  { active: hours([beginning, 8], [10, 12.1]), replaced: true },
  { active: hours([beginning, 3], [6, 15]), replaced: false },
  { active: hours([9, 14], [20, always]), replaced: false },
  { active: hours([12, 17.1]), replaced: true },
  { active: hours([17, always]), replaced: false },
]

function hours(...spans: (readonly [number, number])[]): Endpoint['active'] {
  return spans.map(([from, until]) => [from * hour, until * hour])
}

export const isActive = ({ active }: Endpoint, at: number): boolean =>
  active.some(([from, until]) => at >= from && at < until)

/** When lives begin, in ms, and how long a subject stays in a state, in seconds. */
export interface LifeTimes {
  readonly begin: readonly [earliest: number, latest: number]
  readonly stay: readonly [shortest: number, longest: number]
}

const withinADay: LifeTimes = { begin: [0, 12 * hour], stay: [60, 4 * 3_600] }

/** Transactions with holds that end and come again, accounts that are switched off and on, and KYC. */
export function randomLife(random: RandomSource, { begin, stay } = withinADay): SubjectLife {
  const id = crypto.randomUUID()
  const kind = random.pick([
    [2, 'transaction'],
    [2, 'bank-account'],
    [1, 'entity'],
  ] as const)
  const draws = {
    transaction: drawRepeating,
    'bank-account': drawToggling([60, 60]),
    entity: drawVerification,
  }
  let at = random.between(...begin)
  const events = draws[kind](random).path.map((state) => {
    at += random.spread(...stay) * 1_000
    return { at, state, body: bodyOf(kind, id, state) }
  })
  return { subject: subjectId({ kind, id }), events }
}

function bodyOf(kind: 'transaction' | 'bank-account' | 'entity', id: string, state: State): string {
  const { type, subType, status } = state
  const data = { transaction: { transactionUuid: id }, 'bank-account': { uuid: id }, entity: {} }[kind]
  return JSON.stringify({ type, subType, uuid: kind === 'entity' ? id : company, data: { ...data, status } })
}

const company = 'c0ffee00-0000-4000-8000-000000000001'

/** Shares of the attempts that do not reach us, and of the answers that do not reach the sender; neither is noticed. */
const lostAttempts = 0.03
const lostAnswers = 0.01

/** Every attempt of §6.8 that reaches us: each event goes to the endpoints that are active then. */
export function arrivalsOf(life: SubjectLife, random: RandomSource): LifeArrival[] {
  return life.events.flatMap(({ at, body }, event) =>
    lifeEndpoints.flatMap((one, endpoint): LifeArrival[] => {
      if (!isActive(one, at)) return []
      const attempts = attemptsOf(random, Math.round(at + random.between(2, 1_000)))
      return attempts
        .filter((attempt) => isActive(one, attempt))
        .map((attempt) => ({ at: attempt, life, event, endpoint, body }))
    }),
  )
}

function attemptsOf(random: RandomSource, first: number): number[] {
  const reached: number[] = []
  let at = first
  for (let retry = 1; retry <= 3; retry++) {
    const isLost = random.chance(lostAttempts)
    if (!isLost) reached.push(at)
    if (!isLost && !random.chance(lostAnswers)) return reached
    at += retryDelaySeconds(retry) * 1_000 + Math.round(random.between(10, 500))
  }
  return reached
}
