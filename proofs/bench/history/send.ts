import { maxAttempts, retryDelaySeconds } from '../../../lib/domain/retry/retry-schedule.ts'
import type { DeliveryFact } from '../../../lib/domain/timeline/decide-repeat.ts'
import { earliestAttempt } from '../../../lib/domain/timeline/earliest-attempt.ts'
import { isKnownOn, isOn, knownOffPeriods, type SimulatedEndpoint } from './endpoints.ts'
import { isWithin } from './interval.ts'
import type { RandomSource } from './random.ts'
import type { SimulatedWorld } from './world.ts'

export interface TrueEvent {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly fingerprint: string
  /** An outcome of rank 3 or more: the transaction is no longer open. */
  readonly final: boolean
}

/** A delivery, and the event that it truly reports. */
export interface SimulatedArrival {
  readonly fact: DeliveryFact
  readonly event: number
}

/** Of the answers that never reach the sender, how many we notice. */
const noticedShare = 0.5
/** If a process died this soon after an answer, the answer is unsure; a heartbeat shows a death this precisely. */
const heartbeat = 10_000

/** An attempt that reached us: stored, or refused with 503. */
interface Attempt {
  readonly receivedAt: number
  readonly answer: DeliveryFact['answer'] | 'refused'
  readonly endpoint: SimulatedEndpoint
  readonly event: number
  readonly fingerprint: string
}

/**
 * The sender's way with one event and one endpoint: until an attempt ends with an answer, or seven have failed. To an
 * endpoint that is switched off nothing is sent: a sender that `keepsTrying` counts that as a failed attempt, another
 * gives up.
 */
export function sendEvent(
  random: RandomSource,
  world: SimulatedWorld,
  endpoint: SimulatedEndpoint,
  { at: happenedAt, fingerprint }: TrueEvent,
  event: number,
  keepsTrying: boolean,
): Attempt[] {
  const received: Attempt[] = []
  if (!isOn(endpoint, happenedAt)) return received
  let at = happenedAt + 50 + random.waiting(200)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (at >= endpoint.deletedAt || (!isOn(endpoint, at) && !keepsTrying)) return received
    const timeOut = random.between(0, world.longestTimeOut)
    const silent = isWithin(world.silences, at) ?? isWithin(endpoint.silences, at)
    const atOnce = isWithin(world.deaths, at) ?? (isOn(endpoint, at) ? undefined : endpoint)
    let endedAt = at + (silent ? timeOut : random.between(1, 50))
    if (!silent && !atOnce) {
      const receivedAt = at + random.between(2, 100)
      const refused = isWithin(world.refusing, at) !== undefined
      const lost = random.chance(world.lostShare)
      const noticed = lost && random.chance(noticedShare)
      const dying = world.deaths.some(({ began }) => receivedAt <= began && receivedAt > began - heartbeat)
      const answer = refused ? 'refused' : noticed || dying ? 'unsure' : 'sure'
      received.push({ receivedAt, answer, endpoint, event, fingerprint })
      if (!lost && !refused) return received
      endedAt = receivedAt + (random.chance(0.5) ? random.between(1, 50) : timeOut)
    }
    at = endedAt + retryDelaySeconds(attempt) * 1000 + random.waiting(200)
  }
  return received
}

/** What is stored of these attempts, in order of arrival, with the evidence that is kept beside it. */
export function deliveryFacts(
  sent: readonly Attempt[],
  endpoints: readonly SimulatedEndpoint[],
  world: SimulatedWorld,
  withEvidence: boolean,
): SimulatedArrival[] {
  const inOrder = sent.toSorted((a, b) => a.receivedAt - b.receivedAt)
  const stored = inOrder.flatMap((attempt) =>
    attempt.answer === 'refused' ? [] : [{ ...attempt, answer: attempt.answer }],
  )
  return stored.map((attempt, index): SimulatedArrival => {
    const { receivedAt, answer, endpoint, event, fingerprint } = attempt
    const fact: DeliveryFact = {
      id: `delivery-${String(index).padStart(4, '0')}`,
      order: BigInt(index + 1),
      receivedAt,
      receiver: endpoint.receiver,
      fingerprint,
      answer,
    }
    return {
      event,
      fact: withEvidence ? { ...fact, ...evidenceOf(attempt, inOrder, endpoints, world) } : fact,
    }
  })
}

function evidenceOf(
  { receivedAt, endpoint, fingerprint }: Attempt,
  all: readonly Attempt[],
  endpoints: readonly SimulatedEndpoint[],
  world: SimulatedWorld,
): Partial<DeliveryFact> {
  const refusedAt = all.flatMap((one) =>
    one.answer === 'refused' &&
    one.endpoint === endpoint &&
    one.fingerprint === fingerprint &&
    one.receivedAt < receivedAt
      ? [one.receivedAt]
      : [],
  )
  const down = world.deaths.map(({ began, ended }) => ({ began: began - heartbeat, ended }))
  const others = endpoints.filter((one) => one !== endpoint && isKnownOn(one, receivedAt))
  return {
    offPeriods: knownOffPeriods(endpoint, receivedAt),
    otherReceivers: others.length,
    refusedAt,
    earliestAttempt: earliestAttempt(receivedAt, [...down, ...world.noticed, ...endpoint.knownOff]),
  }
}
