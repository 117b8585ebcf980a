import crypto from 'node:crypto'
import { parseEnvelope } from '../../../lib/deliveries/rules/envelope.ts'
import { retryDelaySeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import { subjectId } from '../../../lib/deliveries/rules/subject.ts'
import { statusOf } from '../../../lib/timeline/rules/status.ts'
import type { EventFlag } from '../../../lib/timeline/rules/subject-event.ts'
import {
  drawRepeating,
  drawToggling,
  drawVerification,
  type RandomSource,
  type State,
} from '../../bench/history/paths.ts'
import type { TestBed } from './test-bed.ts'

/** A life has what truly happened to one subject: the bodies that report it, in order. */
export interface SubjectLife {
  readonly subject: string
  readonly events: readonly { readonly at: number; readonly state: State; readonly body: string }[]
}

/** An arrival is an attempt that reaches us. `at` is milliseconds since the story began, as everywhere here. */
export interface LifeArrival {
  readonly at: number
  readonly life: SubjectLife
  readonly event: number
  readonly endpoint: number
  readonly body: string
}

/** An endpoint is active in these periods. An endpoint missing at the beginning is created at its first moment. */
interface Endpoint {
  readonly active: readonly (readonly [from: number, until: number])[]
  /** The endpoint is deleted at its last moment, since another replaced it. */
  readonly replaced: boolean
}

const hour = 3_600_000
const always = Number.POSITIVE_INFINITY
/** Nothing changes before the beginning and after the end. */
const beginning = -1

/** One or two endpoints are active at any moment. An event that only one of them receives cannot be confirmed by another. */
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

/** A life begins in this period, in ms, and its subject stays in a state this long, in seconds. */
interface LifeTimes {
  readonly begin: readonly [earliest: number, latest: number]
  readonly stay: readonly [shortest: number, longest: number]
}

const withinADay: LifeTimes = { begin: [0, 12 * hour], stay: [60, 4 * 3_600] }

/** A life is a transaction with repeated holds, an account that is switched off and on, or KYC. */
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

/** These shares of the attempts and of the answers are lost, and nobody notices. */
const lostAttempts = 0.03
const lostAnswers = 0.01

/** The list has every attempt of §6.8 that reaches us. Each event goes to the endpoints that are active then. */
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

interface EventRow {
  readonly subject: string
  readonly id: string
  readonly type: string
  readonly sub_type: string
  readonly status: string
  readonly rank: number | null
  readonly flags: EventFlag[]
}

/**
 * The function compares the status of each life's timeline with the latest of its received true events. It throws when one
 * is wrong and not marked as unsure.
 * @param received by life, the position of its latest event that was received
 */
export async function compareStates(
  stage: Pick<TestBed, 'ask'>,
  received: ReadonlyMap<SubjectLife, number>,
): Promise<string> {
  const rows = await stage.ask<EventRow>(
    'SELECT subject_id AS subject, id, type, sub_type, status, rank, flags FROM event ORDER BY subject_id, position',
  )
  const events = Map.groupBy(rows, ({ subject }) => subject)
  const [wrong, unmarked]: [string[], string[]] = [[], []]
  let doubted = 0
  for (const [life, latest] of received) {
    const truth = life.events[latest]?.state
    const timeline = events.get(life.subject) ?? []
    const shown = stateOf(timeline)
    const isMarked = shown?.flags.some((flag) => flag === 'order-unsure' || flag === 'repeat-unsure') ?? false
    const isRight = shown?.sub_type === truth?.subType && shown?.status === truth?.status
    const words = `${life.events.map(({ state }) => state.status).join(' > ')} shown as ${shown?.status} of ${timeline.map(({ status }) => status).join(' > ')}`
    if (!isRight) wrong.push(words)
    if (!isRight && !isMarked) unmarked.push(words)
    if (isRight && isMarked) doubted++
  }
  const share = (count: number) => `${((100 * count) / received.size).toFixed(1)} %`
  const seen = `${received.size} lives: ${wrong.length} (${share(wrong.length)}) end wrong, ${unmarked.length} of them unmarked; ${share(doubted)} end right and marked`
  if (unmarked.length > 0) throw new Error(`${seen}: ${unmarked.slice(0, 5).join('; ')}`)
  return seen
}

/** The result is the event that decides the status, by the rule of every page. */
function stateOf(timeline: readonly EventRow[]): EventRow | undefined {
  const { eventId } = statusOf(
    timeline.map(({ id, type, sub_type: subType, status, rank, flags }, position) => {
      const reading = parseEnvelope(Buffer.from(JSON.stringify({ type, subType, data: { status } })))
      if (reading.kind === 'unreadable') throw new Error(reading.why)
      const times = { firstReceivedAt: 0, lastReceivedAt: 0, placedBefore: null, cameAgainAt: null }
      return {
        id,
        fingerprint: '',
        envelope: reading.envelope,
        deliveries: [],
        position,
        rank,
        flags,
        cameAgainId: null,
        ...times,
      }
    }),
  )
  return timeline.find(({ id }) => id === eventId)
}
