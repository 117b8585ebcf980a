import { passedChecks, stateOf } from '#lib/deliveries/rules/event-states.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'

/** An event of a transaction, of whatever type, in the order of its timeline. */
export interface Happening {
  readonly type: string | null
  readonly subType: string | null
  /** `data.status`. */
  readonly status: string | null
  /** ISO 8601, time of receipt; null where it was placed by rule and so has no time of its own. */
  readonly at: string | null
}

/**
 * Why it is held: what the hold's own `data.status` says, or what else was received of this transaction. §6.1, §6.7
 * `aml-unread`: of a check that was received it is not said how it went, or not to whoever reads this. It may have passed.
 */
export type HoldCause = 'kyc' | 'process' | FindingCause | 'aml-unread' | 'not-known'

export interface Hold {
  readonly step: 'ON_HOLD'
  readonly cause: HoldCause
  /** `data.status`. */
  readonly reason: string | null
}

/** What a transaction met on its way to where it stands. */
export type Passage =
  | Hold
  | Finding
  | { readonly step: 'FAILED' | 'LIMIT_BREACHED' | 'SUCCESS'; readonly reason: string | null }

/** What was received of it that is no step, and led to no hold. */
export interface Finding {
  readonly step: null
  readonly cause: FindingCause
}

type FindingCause = 'sender-name' | 'aml'

/** What explains where a transaction stands, from its own events alone. */
export interface Circumstances {
  /** Since when it stands there, ISO 8601; null when that is not known. */
  readonly since: string | null
  /** The hold that lasts; null when it is not held. */
  readonly hold: Hold | null
  /** What led straight there, first to last: a hold that went on into progress explains nothing of what came later. */
  readonly led: readonly Passage[]
}

export function circumstancesOf(events: readonly Happening[], step: string | null): Circumstances {
  const moves = events.flatMap((event, index): Move[] =>
    isDirection(event.type) ? [{ ...event, index }] : [],
  )
  const here = moves.findLastIndex(({ subType }) => subType === step)
  const now = moves[here]
  if (!now) return { since: null, hold: null, led: [] }
  const passages: PlacedPassage[] = []
  let at = here
  while (at > 0) {
    const before = moves[at - 1]
    const passage = before && passageOf(before, moves, events)
    if (!before || !passage) break
    at -= 1
    if (before.subType !== moves[at + 1]?.subType) passages.unshift({ passage, index: before.index })
  }
  const finding = findingOf(passages, moves.slice(0, at), events.slice(0, now.index), step)
  const led = finding ? [...passages, finding].sort((a, b) => a.index - b.index) : passages
  return {
    since: beginOf(moves, step)?.at ?? null,
    hold: step === 'ON_HOLD' ? holdOf(now, moves, events) : null,
    led: led.map(({ passage }) => passage),
  }
}

interface Move extends Happening {
  /** Among all events. */
  readonly index: number
}

interface PlacedPassage {
  readonly passage: Passage
  /** Among all events. */
  readonly index: number
}

/** What came since an earlier hold went on, where a transaction came to nothing and no hold on the way tells of it. */
function findingOf(
  led: readonly PlacedPassage[],
  earlier: readonly Move[],
  events: readonly Happening[],
  step: string | null,
): PlacedPassage | null {
  const isTold = led.some(({ passage }) => passage.step === 'ON_HOLD' && found.has(passage.cause))
  if (isTold || (step !== 'FAILED' && step !== 'REFUNDED')) return null
  const wentOn = earlier.findLast((_, i) => earlier[i - 1]?.subType === 'ON_HOLD')?.index ?? 0
  const cause = findingIn(events.slice(wentOn))
  // What may have passed led to nothing that anybody knows of.
  if (cause === null || cause === 'aml-unread') return null
  const index = events.findLastIndex(({ type }) => type === findings[cause])
  return { passage: { step: null, cause }, index }
}

const findings = { 'sender-name': 'senderNameMismatch', aml: 'AML' } as const satisfies Record<
  FindingCause,
  EventType
>
const found: ReadonlySet<HoldCause> = new Set(['sender-name', 'aml', 'aml-unread'])

/** The last word of each type counts: a check that passed in the end explains nothing. */
function findingIn(events: readonly Happening[]): FindingCause | 'aml-unread' | null {
  const last = (cause: FindingCause) => events.findLast(({ type }) => type === findings[cause])
  const [mismatch, check] = [last('sender-name'), last('aml')]
  if (mismatch && !hasPassed(mismatch)) return 'sender-name'
  if (!check || hasPassed(check)) return null
  return stateOf(check) === null ? 'aml-unread' : 'aml'
}

const hasPassed = (event: Happening): boolean => {
  const state = stateOf(event)
  return passedChecks.some((passed) => passed === state)
}

function passageOf(move: Move, moves: readonly Move[], events: readonly Happening[]): Passage | null {
  const { subType, status: reason } = move
  if (subType === 'ON_HOLD') return holdOf(move, moves, events)
  return subType === 'FAILED' || subType === 'LIMIT_BREACHED' || subType === 'SUCCESS'
    ? { step: subType, reason }
    : null
}

const holdOf = (move: Move, moves: readonly Move[], events: readonly Happening[]): Hold => ({
  step: 'ON_HOLD',
  cause: causeOf(move, moves, events),
  reason: move.status,
})

/**
 * KYC as the hold itself gives it; else an event of another type that came since an earlier hold went on, and before this one
 * does; else the process that the hold names.
 */
function causeOf(hold: Move, moves: readonly Move[], events: readonly Happening[]): HoldCause {
  if (hold.status === 'ON_HOLD_KYC') return 'kyc'
  const place = moves.indexOf(hold)
  const isHold = ({ subType }: Move) => subType === 'ON_HOLD'
  const goesOn = moves.slice(place).find((move) => !isHold(move))?.index ?? events.length
  const released = moves.slice(0, place).findLast((move, i) => isHold(move) && !isHold(moves[i + 1] ?? hold))
  const around = events.slice(released ? released.index + 1 : 0, goesOn)
  return findingIn(around) ?? holdOfReason(hold.status).cause
}

/** A hold of which only its `data.status` is known, as in lists. */
export function holdOfReason(reason: string | null): Hold {
  const cause = causes.get(reason) ?? 'not-known'
  return { step: 'ON_HOLD', cause, reason }
}

/** The two that §6.1 names. */
const causes: ReadonlyMap<string | null, HoldCause> = new Map([
  ['ON_HOLD_KYC', 'kyc'],
  ['ON_HOLD_PROCESS', 'process'],
])

/**
 * Of the steps of a transaction, in order, the one by which it came to where it stands: a hold that is told of again lasts from
 * its first word.
 */
export function beginOf<Step extends Pick<Happening, 'subType' | 'status'>>(
  steps: readonly Step[],
  step: string | null,
): Step | undefined {
  const here = steps.findLastIndex(({ subType }) => subType === step)
  const { status } = steps[here] ?? {}
  const before = steps.slice(0, here).findLastIndex((one) => one.subType !== step || one.status !== status)
  return here === -1 ? undefined : steps[before + 1]
}
