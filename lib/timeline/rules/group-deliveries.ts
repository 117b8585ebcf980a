import { type Envelope, unreadableEnvelope } from '#lib/deliveries/rules/envelope.ts'
import {
  isSingleWait,
  isSingleWaitOfPatientSender,
  maxAttempts,
} from '#lib/deliveries/rules/retry-schedule.ts'
import { isDirection, isFailedCreation, isOnHold, isSameState, rankOf } from '#lib/deliveries/rules/steps.ts'
import {
  type DeliveryFact,
  decideRepeat,
  firstAttemptAt,
  type SameReason,
  undecided,
  waitsBetween,
} from './decide-repeat.ts'
import type { ReasonedDelivery } from './subject-event.ts'

/** A group holds the deliveries of one event, in order of arrival. */
export interface DeliveryGroup {
  readonly envelope: Envelope
  readonly first: DeliveryFact
  readonly deliveries: readonly ReasonedDelivery[]
  /** The delivery may be a retry of the earlier event, or the repetition taken for a retry may have been a new event. */
  readonly repeatUnsure: boolean
  /** The first known attempt is the first arrival, or an earlier attempt that we answered 503. Ms since 1970. */
  readonly firstAttempt: number
}

interface GroupInProgress extends DeliveryGroup {
  readonly deliveries: ReasonedDelivery[]
  // biome-ignore-start lint/plugin: changes while a group grows
  repeatUnsure: boolean
  firstAttempt: number
  last: DeliveryFact
  // biome-ignore-end lint/plugin: as above
  readonly lastByReceiver: Map<string, DeliveryFact>
  readonly firstAttemptByReceiver: Map<string, number>
  /** A repetition would change the status, and other receivers would get it too. */
  readonly needsEcho: boolean
}

/** Deliveries (sorted by arrival) are grouped into events, sorted by first arrival. */
export function groupDeliveries(
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
): DeliveryGroup[] {
  const groups: GroupInProgress[] = []
  const before = new Map<string, DeliveryFact[]>()
  const latestEqual = new Map<string, GroupInProgress>()
  const nextElsewhere = nextOnOtherReceivers(facts)
  let latestEvent: GroupInProgress | null = null
  const latestByType = new Map<string | null, GroupInProgress>()
  for (const delivery of facts) {
    const envelope = envelopes.get(delivery.fingerprint) ?? unreadableEnvelope
    const equal = latestEqual.get(delivery.fingerprint) ?? null
    const place = `${delivery.receiver} ${delivery.fingerprint}`
    const earlier = before.get(place) ?? []
    before.set(place, [delivery, ...earlier].slice(0, maxAttempts))
    const firstAttempt = firstAttemptAt(delivery, earlier[0] ?? null)
    const latestOfType = latestByType.get(envelope.type) ?? null
    const isOpen =
      latestOfType !== null && latestOfType !== equal && changesStatus(envelope, latestOfType.envelope)
    const { kind, reason, uncertain } = decideRepeat(delivery, firstAttempt, equal, {
      latestEvent,
      latestOfType,
      nextOnOtherReceiver: nextElsewhere.get(delivery) ?? null,
      oneWaitAfterEarlier: oneWaitAfter(delivery, earlier),
      isTransaction: isDirection(envelope.type),
      changesStatus: isOpen,
    })
    if (kind === 'same' && equal) {
      equal.deliveries.push({ delivery, reason })
      equal.last = delivery
      equal.lastByReceiver.set(delivery.receiver, delivery)
      equal.firstAttemptByReceiver.set(delivery.receiver, firstAttempt)
      equal.firstAttempt = Math.min(equal.firstAttempt, firstAttempt)
      if (uncertain && latestOfType) latestOfType.repeatUnsure = true
      continue
    }
    const group: GroupInProgress = {
      envelope,
      first: delivery,
      deliveries: [{ delivery, reason }],
      repeatUnsure: uncertain,
      firstAttempt: firstAttempt,
      last: delivery,
      lastByReceiver: new Map([[delivery.receiver, delivery]]),
      firstAttemptByReceiver: new Map([[delivery.receiver, firstAttempt]]),
      needsEcho: isOpen && isAfterAnother(reason) && (delivery.otherReceivers ?? 0) > 0,
    }
    groups.push(group)
    latestEqual.set(delivery.fingerprint, group)
    if (isLatest(group, latestEvent)) latestEvent = group
    if (isLatest(group, latestOfType)) latestByType.set(envelope.type, group)
  }
  for (const group of groups) if (group.needsEcho && group.lastByReceiver.size === 1) doubt(group)
  return groups
}

const isLatest = ({ first, firstAttempt }: DeliveryGroup, latest: DeliveryGroup | null): boolean =>
  !latest || firstAttempt >= latest.firstAttempt || firstAttempt === first.receivedAt

/** Only one of several receivers reports the repetition. */
function doubt(group: GroupInProgress): void {
  group.repeatUnsure = true
  const [first] = group.deliveries
  if (first) group.deliveries[0] = { ...first, reason: undecided(first.reason) }
}

/**
 * A repetition of `envelope` after `begun`, of the same type, would change the status: a hold began or ended,
 * an account returned to a state, or a failed creation was retried.
 */
function changesStatus(envelope: Envelope, begun: Envelope): boolean {
  if (isDirection(envelope.type)) return isOnHold(envelope) || isOnHold(begun)
  if (isSameState(envelope, begun)) return false
  const [rank, reached] = [rankOf(envelope), rankOf(begun)]
  return rank === null || reached === null || rank >= reached || (rank === 0 && isFailedCreation(begun))
}

const isAfterAnother = (reason: SameReason) =>
  reason.kind === 'happened-again' && reason.because === 'other-event-between'

/** The wait leads to the delivery from any attempt that was received or refused before. */
function oneWaitAfter(delivery: DeliveryFact, earlier: readonly DeliveryFact[]) {
  const { receivedAt, refusedAt = [] } = delivery
  const attempts = [
    ...refusedAt.map((at) => ({ at, waits: undefined })),
    ...earlier.map((one) => ({ at: one.receivedAt, waits: waitsBetween(one, delivery) })),
  ].map(({ at, waits }) => ({ seconds: (receivedAt - at) / 1000, waits }))
  if (attempts.some(({ seconds, waits }) => isSingleWait(seconds, waits))) return 'usual'
  return attempts.some(({ seconds, waits }) => isSingleWaitOfPatientSender(seconds, waits)) ? 'long' : null
}

/** Each delivery is mapped to the next one with the same fingerprint on another receiver. */
function nextOnOtherReceivers(facts: readonly DeliveryFact[]): Map<DeliveryFact, DeliveryFact> {
  const echoes = new Map<DeliveryFact, DeliveryFact>()
  const following = new Map<string, DeliveryFact>()
  for (const delivery of facts.toReversed()) {
    const next = following.get(delivery.fingerprint)
    const echo = next?.receiver === delivery.receiver ? echoes.get(next) : next
    if (echo) echoes.set(delivery, echo)
    following.set(delivery.fingerprint, delivery)
  }
  return echoes
}
