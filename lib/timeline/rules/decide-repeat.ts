import {
  firstRetryEarliestSeconds,
  firstWaitAlone,
  isSingleWait,
  matchRetrySpan,
  mayBeRetriesApart,
  type RetrySpan,
  retryWindowSeconds,
} from '#lib/deliveries/rules/retry-schedule.ts'

/** A span goes from `began` to `ended`, in ms since 1970. */
export interface Span {
  readonly began: number
  readonly ended: number
}

/** A fact is one delivery, reduced to the fields that the rules use. */
export interface DeliveryFact {
  /** The id is a uuidv7. */
  readonly id: string
  /** `order` is the order of arrival, unique within a database. The rules use it and never the clock. */
  readonly order: bigint
  /** The database's clock gives the milliseconds since 1970. */
  readonly receivedAt: number
  readonly receiver: string
  /** The fingerprint is the hex SHA-256 of the envelope as canonical JSON. */
  readonly fingerprint: string
  /** `unsure` when our answer may not have reached the sender. */
  readonly answer: 'sure' | 'unsure'
  /**
   * This receiver got no events of this type in these periods of the hours before (endpoint missing, disabled,
   * not subscribed), as far as known; absent when unknown.
   */
  readonly offPeriods?: readonly Span[]
  /** This many other receivers got events of this type at that moment, as far as known. */
  readonly otherReceivers?: number
  /** The same body was answered 503 on this receiver at these times, within the last day. */
  readonly refusedAt?: readonly number[]
  /** Known failed attempts allow this earliest first attempt; null when there was none. See `earliestAttempt`. */
  readonly earliestAttempt?: number | null
}

/**
 * The reason says why a delivery counts as a new event, or as one already known. Seconds count from the earlier delivery.
 * `undecided`: the sender does not say which of the two it is, and the other would give another status.
 */
export type SameReason = KindOfReason & { readonly undecided?: true }

type KindOfReason =
  | { readonly kind: 'first' }
  | {
      readonly kind: 'happened-again'
      readonly secondsAfter: number
      readonly because: NewEventReason
    }
  | { readonly kind: 'other-endpoint'; readonly secondsAfter: number }
  | { readonly kind: 'unsure-answer'; readonly secondsAfter: number }
  | {
      readonly kind: 'retry'
      readonly secondsAfter: number
      /** `from` is the first retry of §6.8 (1 to 6) among the waits that explain it; `count` is their number. */
      readonly from: number
      readonly retries: number
    }
  | { readonly kind: 'repeated'; readonly secondsAfter: number }

/**
 * The delivery is a new event and not a retry: too late for any retry; another event came in between; the same
 * came in between and two endpoints repeat it at once; or the endpoint is newer than the event.
 */
export type NewEventReason =
  | 'after-retry-window'
  | 'other-event-between'
  | 'repeated-by-two-endpoints'
  | 'endpoint-created-later'

/** The latest event of the same subject has the same fingerprint. */
export interface MatchingEvent {
  readonly first: DeliveryFact
  /** The sender first attempted to deliver it at this time, as far as known; ms since 1970. */
  readonly firstAttempt: number
  readonly last: DeliveryFact
  readonly lastByReceiver: ReadonlyMap<string, DeliveryFact>
  /** Each receiver has the first known attempt of its last delivery, in ms since 1970. */
  readonly firstAttemptByReceiver: ReadonlyMap<string, number>
}

/** `SubjectContext` is what else is known about the subject when a delivery arrives. */
export interface SubjectContext {
  readonly latestEvent: LatestEvent | null
  /** Only events of the delivery's own type decide the status of that type; this is the latest. */
  readonly latestOfType: LatestEvent | null
  /** The next delivery with the same fingerprint came to another receiver. */
  readonly nextOnOtherReceiver: DeliveryFact | null
  /**
   * The delivery came one retry wait (§6.8) after an earlier attempt with the same fingerprint on its receiver, accepted or
   * refused. `usual`: with the usual wait. `long`: if the sender waited for that answer longer than we assume.
   */
  readonly oneWaitAfterEarlier: 'usual' | 'long' | null
  /** The outcome of a transaction settles every doubt; for an account or a verification nothing more need come. */
  readonly isTransaction: boolean
  /** A repetition after `latestOfType` would change the status: `changesStatus` of `group-deliveries.ts` decides. */
  readonly changesStatus: boolean
}

interface LatestEvent {
  readonly first: DeliveryFact
  readonly firstAttempt: number
}

export interface RepeatDecision {
  readonly kind: 'new' | 'same'
  readonly reason: SameReason
  /** No evidence decided, and the other decision would give another status. */
  readonly uncertain: boolean
}

/**
 * A delivery is a new event or repeats `equal`, by the rules of docs/timeline.md in their order. `firstAttempt`
 * is its first known attempt, in ms since 1970.
 */
export function decideRepeat(
  delivery: DeliveryFact,
  firstAttempt: number,
  equal: MatchingEvent | null,
  context: SubjectContext,
): RepeatDecision {
  if (!equal) return { kind: 'new', reason: { kind: 'first' }, uncertain: false }
  if (secondsBetween(equal.first, delivery) >= retryWindowSeconds) {
    return asNew(equal.last, delivery, 'after-retry-window')
  }
  const previous = equal.lastByReceiver.get(delivery.receiver)
  return previous
    ? decideOnSameReceiver(delivery, firstAttempt, equal, previous, context)
    : decideOnOtherReceiver(delivery, firstAttempt, equal, context)
}

/** The matching event was never delivered to this receiver. */
function decideOnOtherReceiver(
  delivery: DeliveryFact,
  firstAttempt: number,
  equal: MatchingEvent,
  around: SubjectContext,
): RepeatDecision {
  const secondsAfter = secondsBetween(equal.last, delivery)
  const reason: SameReason = { kind: 'other-endpoint', secondsAfter }
  if (isReceiverYounger(delivery, equal)) return asNew(equal.last, delivery, 'endpoint-created-later')
  if (!wouldChangeStatus(around, equal, equal.first)) return asSame(reason)
  if (isRepeatedOnOtherReceiver(delivery, equal, around))
    return asNew(equal.last, delivery, 'repeated-by-two-endpoints')
  const late = mayBeRetriesApart(Math.max(0, firstAttempt - equal.first.receivedAt) / 1000)
  if (!late) return asNew(equal.last, delivery, 'other-event-between', around.oneWaitAfterEarlier !== null)
  // Another receiver that got the event first still gets these events, so a new event would reach it too.
  if ((delivery.otherReceivers ?? 0) > 0) return asSame(reason)
  return delivery.otherReceivers === undefined
    ? asSame(reason, true)
    : asNew(equal.last, delivery, 'other-event-between', true)
}

/** `previous` is the last delivery of the matching event on the same receiver. */
function decideOnSameReceiver(
  delivery: DeliveryFact,
  firstAttempt: number,
  equal: MatchingEvent,
  previous: DeliveryFact,
  around: SubjectContext,
): RepeatDecision {
  const secondsAfter = secondsBetween(previous, delivery)
  const open = wouldChangeStatus(around, equal, previous)
  const another = open || hasOtherEventSince(around.latestEvent, equal, previous)
  const seconds = Math.max(0, firstAttempt - previous.receivedAt) / 1000
  const run = matchRetrySpan(seconds, another ? waitsBetween(previous, delivery) : undefined)
  if (previous.answer === 'unsure' && (run || !open))
    return asSame({ kind: 'unsure-answer', secondsAfter }, open)
  if (secondsAfter < firstRetryEarliestSeconds) return asSame({ kind: 'repeated', secondsAfter }, open)
  if (another && isRepeatedOnOtherReceiver(delivery, equal, around))
    return asNew(
      previous,
      delivery,
      'repeated-by-two-endpoints',
      open && !around.isTransaction && around.oneWaitAfterEarlier === 'usual',
    )
  if (!another) return asSame(run ? retryReason(secondsAfter, run) : { kind: 'repeated', secondsAfter })
  if (!run)
    return asNew(
      previous,
      delivery,
      'other-event-between',
      open && (previous.answer === 'unsure' || around.oneWaitAfterEarlier !== null),
    )
  if (!open) return asSame(retryReason(secondsAfter, run))
  const alone = (delivery.otherReceivers ?? equal.lastByReceiver.size - 1) === 0
  if (alone) return asNew(previous, delivery, 'other-event-between', true)
  return asSame(retryReason(secondsAfter, run), true)
}

/**
 * These waits may lie between two attempts: only the first wait when no evidence says that attempts failed, and
 * all waits when nothing is known. ASSUMED: the sender never misses two attempts in a row without a trace here.
 */
export const waitsBetween = (earlier: DeliveryFact, later: DeliveryFact): readonly RetrySpan[] | undefined =>
  earlier.answer === 'unsure' || [earlier, later].some(mayHaveFailed) ? undefined : firstWaitAlone

const mayHaveFailed = ({ earliestAttempt, refusedAt = [] }: DeliveryFact) =>
  earliestAttempt !== null || refusedAt.length > 0

/** Another event of its type began since, and a repetition would change the status again. */
const wouldChangeStatus = (around: SubjectContext, equal: MatchingEvent, earlier: DeliveryFact) =>
  around.changesStatus && hasOtherEventSince(around.latestOfType, equal, earlier)

/** `latest` began after `earlier` (or after its first attempt, when that was refused). */
function hasOtherEventSince(
  latest: LatestEvent | null,
  { firstAttemptByReceiver }: MatchingEvent,
  earlier: DeliveryFact,
): boolean {
  if (!latest) return false
  const tried = firstAttemptByReceiver.get(earlier.receiver) ?? earlier.receivedAt
  return latest.first.order > earlier.order || latest.firstAttempt > tried
}

/**
 * Another receiver reports it again at the same moment, and its earlier delivery was answered, or it is too new
 * to repeat the earlier event.
 */
function isRepeatedOnOtherReceiver(
  delivery: DeliveryFact,
  equal: MatchingEvent,
  around: SubjectContext,
): boolean {
  const { nextOnOtherReceiver } = around
  if (!nextOnOtherReceiver || secondsBetween(delivery, nextOnOtherReceiver) > simultaneousSeconds)
    return false
  const echoed = equal.lastByReceiver.get(nextOnOtherReceiver.receiver)
  if (!echoed) return isReceiverYounger(nextOnOtherReceiver, equal)
  return (
    echoed.answer === 'sure' &&
    (hasOtherEventSince(around.latestEvent, equal, echoed) || wouldChangeStatus(around, equal, echoed))
  )
}

/** The receiver got no events when the matching event happened, so no attempt for it was ever made there. */
function isReceiverYounger(
  { offPeriods = [] }: DeliveryFact,
  { first, firstAttempt }: MatchingEvent,
): boolean {
  const earliest =
    Math.min(firstAttempt, first.earliestAttempt ?? first.receivedAt) - simultaneousSeconds * 1000
  return offPeriods.some(({ began, ended }) => earliest > began && first.receivedAt < ended)
}

/**
 * The first known attempt of a delivery is its arrival, or the first 503 that we answered since `previous`, if
 * a retry wait (§6.8) connects the last 503 to the arrival. In ms since 1970.
 */
export function firstAttemptAt(
  { refusedAt = [], receivedAt }: DeliveryFact,
  previous: DeliveryFact | null,
): number {
  const from = previous?.receivedAt ?? receivedAt - retryWindowSeconds * 1000
  const attempts = refusedAt.filter((at) => at > from)
  if (!isSingleWait((receivedAt - Math.max(...attempts)) / 1000)) return receivedAt
  return Math.min(...attempts)
}

/**
 * Two endpoints receive one event within this many seconds unless an attempt fails. ASSUMED: the sender sends
 * to all endpoints at once and the network takes up to 3 s.
 */
export const simultaneousSeconds = 3

const retryReason = (secondsAfter: number, { from, retries }: RetrySpan): SameReason => ({
  kind: 'retry',
  secondsAfter,
  from,
  retries,
})

const asSame = (reason: SameReason, uncertain = false): RepeatDecision => ({
  kind: 'same',
  reason: uncertain ? undecided(reason) : reason,
  uncertain,
})

const asNew = (
  earlier: DeliveryFact,
  delivery: DeliveryFact,
  because: NewEventReason,
  uncertain = false,
): RepeatDecision => {
  const reason: SameReason = {
    kind: 'happened-again',
    secondsAfter: secondsBetween(earlier, delivery),
    because,
  }
  return { kind: 'new', reason: uncertain ? undecided(reason) : reason, uncertain }
}

export const undecided = (reason: SameReason): SameReason => ({ ...reason, undecided: true })

/** The result is never negative, so that a clock that was set back gives no "received -3,600 s later". */
export const secondsBetween = (earlier: DeliveryFact, later: DeliveryFact) =>
  Math.max(0, later.receivedAt - earlier.receivedAt) / 1000
