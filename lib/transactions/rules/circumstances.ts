import { type StateOf, stateOf } from '#lib/deliveries/rules/event-states.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { passedChecks } from '#lib/deliveries/rules/passed-checks.ts'
import { movesOf } from '#lib/deliveries/rules/steps.ts'

/** Events of a transaction, of any type, come in the order of its timeline. */
export interface Happening {
  readonly type: string | null
  readonly subType: string | null
  /** `data.status`. */
  readonly status: string | null
  /** `at` is the time of receipt, ISO 8601; null when a rule placed the event, which then has no time of its own. */
  readonly at: string | null
}

/**
 * The cause is what the hold's own `data.status` says, or what other events of the transaction say. §6.1, §6.7
 * `aml-unread`: the result of a check was not given, or this role may not read it; the check may have passed.
 */
export type HoldCause = 'kyc' | 'process' | FindingCause | 'aml-unread' | 'not-known'

export interface Hold {
  readonly step: 'ON_HOLD'
  readonly cause: HoldCause
  /** `data.status`. */
  readonly reason: string | null
}

/** A transaction passed these points on its way to its status. */
export type Passage =
  | Hold
  | Finding
  | { readonly step: 'FAILED' | 'LIMIT_BREACHED' | 'SUCCESS'; readonly reason: string | null }

/** A finding is an event that is no step and led to no hold. */
export interface Finding {
  readonly step: null
  readonly cause: FindingCause
}

type FindingCause = 'sender-name' | 'aml'

/** The circumstances explain the status of a transaction from its own events alone. */
export interface Circumstances {
  /** The status began at this time, ISO 8601; null when that is not known. */
  readonly since: string | null
  /** The hold that lasts is here; null when the transaction is not held. */
  readonly hold: Hold | null
  /**
   * These points led directly to the status, in order. A hold that went on into progress does not explain anything later.
   */
  readonly led: readonly Passage[]
}

export function circumstancesOf(events: readonly Happening[], step: string | null): Circumstances {
  const moves = movesOf(
    events.map((event, index): Move => ({ ...event, index })),
    ({ type }) => type,
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
  /** `index` counts all events. */
  readonly index: number
}

interface PlacedPassage {
  readonly passage: Passage
  /** `index` counts all events. */
  readonly index: number
}

/**
 * A failed or refunded transaction may be explained by an event after its last hold ended, unless a hold
 * already explains it.
 */
function findingOf(
  led: readonly PlacedPassage[],
  earlier: readonly Move[],
  events: readonly Happening[],
  step: string | null,
): PlacedPassage | null {
  const isKnown = led.some(({ passage }) => passage.step === 'ON_HOLD' && found.has(passage.cause))
  if (isKnown || (step !== 'FAILED' && step !== 'REFUNDED')) return null
  const wentOn = earlier.findLast((_, i) => earlier[i - 1]?.subType === 'ON_HOLD')?.index ?? 0
  const cause = findingIn(events.slice(wentOn))
  // A check that may have passed explains nothing.
  if (cause === null || cause === 'aml-unread') return null
  const index = events.findLastIndex(({ type }) => type === findings[cause])
  return { passage: { step: null, cause }, index }
}

const findings = { 'sender-name': 'senderNameMismatch', aml: 'AML' } as const satisfies Record<
  FindingCause,
  EventType
>
const found: ReadonlySet<HoldCause> = new Set(['sender-name', 'aml', 'aml-unread'])

/** The last event of each type counts: a check that passed in the end explains nothing. */
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
 * The cause is KYC when the hold says so. Otherwise it is an event of another type between the end of the
 * previous hold and the end of this one, or else the process that the hold names.
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

/** Lists know only the `data.status` of a hold. */
export function holdOfReason(reason: string | null): Hold {
  const cause = causes.get(reason) ?? 'not-known'
  return { step: 'ON_HOLD', cause, reason }
}

/**
 * The turn says who must act on a verification. `verified`, `refused`: the customer has nothing left to do, so only the provider
 * can go on.
 */
export type VerificationTurn = 'customer' | 'provider' | 'verified' | 'refused'

const turns = {
  CREATED: 'customer',
  PHONE_VERIFICATION_NEEDED: 'customer',
  KYC_NEEDED: 'customer',
  PENDING_KYC_DATA: 'customer',
  KYC_PENDING: 'provider',
  FULL_USER: 'verified',
  SOFT_KYC_FAILED: 'customer',
  HARD_KYC_FAILED: 'refused',
  SUSPENDED: 'refused',
  KYB_PENDING: 'provider',
  KYB_PASSED: 'verified',
  KYB_FAILED: 'refused',
} as const satisfies Record<StateOf<'KYC'> | StateOf<'KYB'>, VerificationTurn>

const turnOf: ReadonlyMap<string | null, VerificationTurn> = new Map(Object.entries(turns))

/** An unknown state (`undefined`) only proves that nobody is verified. */
const turnsInOrder = ['customer', 'refused', 'provider', undefined, 'verified'] as const

/** Who has a status of KYC and of KYB must pass both. The customer has the turn when nothing is known, as the hold says. */
export function verificationTurn(states: readonly (string | null)[]): VerificationTurn {
  const found = states.map((state) => turnOf.get(state))
  return turnsInOrder.find((turn) => found.includes(turn)) ?? 'customer'
}

/** Only the provider can end some holds for KYC. Customers hear of these as of any other hold. */
export const customerReason = (reason: string | null, turn: VerificationTurn | null = null): string | null =>
  reason === 'ON_HOLD_KYC' && (turn === 'verified' || turn === 'refused') ? null : reason

/** §6.1 names these two causes. */
const causes: ReadonlyMap<string | null, HoldCause> = new Map([
  ['ON_HOLD_KYC', 'kyc'],
  ['ON_HOLD_PROCESS', 'process'],
])

/**
 * The step that began the current status is found among the steps in order. A hold that is reported again lasts
 * from its first report.
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
