import { type Envelope, unreadableEnvelope } from './envelope.ts'
import { type DeliveryFact, sameOrNew } from './same-or-new.ts'
import { isOnHold } from './steps.ts'
import type { EventDelivery } from './subject-event.ts'

/** The deliveries of one event, in order of arrival. */
export interface DeliveryGroup {
  readonly envelope: Envelope
  readonly first: DeliveryFact
  readonly deliveries: readonly EventDelivery[]
}

interface Growing {
  readonly envelope: Envelope
  readonly first: DeliveryFact
  readonly deliveries: EventDelivery[]
  last: DeliveryFact
  readonly lastOn: Map<string, DeliveryFact>
}

/** Gathers deliveries, sorted by arrival, into the events that they tell of, sorted by their first arrival. */
export function groupDeliveries(
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
): DeliveryGroup[] {
  const groups: Growing[] = []
  const latestEqual = new Map<string, Growing>()
  const echoes = echoesOf(facts)
  let begun: DeliveryGroup | null = null
  for (const delivery of facts) {
    const envelope = envelopes.get(delivery.fingerprint) ?? unreadableEnvelope
    const equal = latestEqual.get(delivery.fingerprint) ?? null
    const held = isOnHold(envelope) || (begun !== null && isOnHold(begun.envelope))
    const echo = echoes.get(delivery) ?? null
    const { kind, reason } = sameOrNew(delivery, equal, begun?.first ?? null, echo, held)
    if (kind === 'same' && equal) {
      equal.deliveries.push({ delivery, reason })
      equal.last = delivery
      equal.lastOn.set(delivery.receiver, delivery)
      continue
    }
    const group: Growing = {
      envelope,
      first: delivery,
      deliveries: [{ delivery, reason }],
      last: delivery,
      lastOn: new Map([[delivery.receiver, delivery]]),
    }
    groups.push(group)
    latestEqual.set(delivery.fingerprint, group)
    begun = group
  }
  return groups
}

/** For each delivery the next one with the same fingerprint on another receiver. */
function echoesOf(facts: readonly DeliveryFact[]): Map<DeliveryFact, DeliveryFact> {
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
