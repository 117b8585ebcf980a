import { type Envelope, parseEnvelope } from '../../../lib/deliveries/rules/envelope.ts'
import { canonicalJson } from '../../../lib/deliveries/rules/json.ts'
import { maxAttempts, retryDelaySeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import { finalRank, isDirection, rankOf } from '../../../lib/deliveries/rules/steps.ts'
import type { Subject } from '../../../lib/deliveries/rules/subject.ts'
import type { DeliveryFact } from '../../../lib/timeline/rules/decide-repeat.ts'
import { earliestAttempt } from '../../../lib/timeline/rules/delivery-evidence.ts'
import { type RandomSource, type State, seeded } from './paths.ts'
import type { LifeClass } from './scenarios.ts'
import {
  beginningWithin,
  day,
  days,
  drawEndpoints,
  drawWorld,
  isKnownOn,
  isOn,
  isWithin,
  knownOffPeriods,
  monthStart,
  type SimulatedEndpoint,
  type SimulatedWorld,
  type TimeInterval,
} from './world.ts'

/** A history has what truly happened to one subject, and everything received about it, in order of arrival. */
export interface History {
  readonly subject: Subject
  readonly events: readonly TrueEvent[]
  readonly arrivals: readonly SimulatedArrival[]
  /** Some event reached an endpoint by a retry alone. */
  readonly delayed: boolean
}

interface Simulation {
  readonly histories: Iterable<History>
  /** The map's keys are fingerprints. */
  readonly envelopes: ReadonlyMap<string, Envelope>
}

/**
 * Lives last over a month. Each event goes to every endpoint that gets its type then, attempt after attempt (§6.8), each
 * wait from the end of an attempt. One answer in a hundred is lost, half of those unnoticed by us. The same seed gives the
 * same histories.
 */
export function simulate(scenario: LifeClass, lives: number, seed: number): Simulation {
  const envelopes = new Map<string, Envelope>()
  return { envelopes, histories: histories(scenario, lives, seeded(seed), envelopes) }
}

function* histories(
  scenario: LifeClass,
  lives: number,
  random: RandomSource,
  envelopes: Map<string, Envelope>,
) {
  const world = drawWorld(random, scenario.world)
  for (let number = 0; number < lives; number++) {
    const history = drawHistory(`life-${number}`, random, scenario, world, envelopes)
    // A life without any delivery cannot be measured.
    if (history.arrivals.length > 0 && (history.delayed || !scenario.onlyDelayed)) yield history
  }
}

function drawHistory(
  id: string,
  random: RandomSource,
  { kind, draw, endpoints, change, evidence }: LifeClass,
  world: SimulatedWorld,
  envelopes: Map<string, Envelope>,
): History {
  const { path, stays } = draw(random)
  let at = monthStart + random.between(0, days * day)
  const events = path.map((state, index): TrueEvent => {
    if (index > 0) at += (stays[index - 1] ?? 0) * 1000
    const { fingerprint, envelope } = remember(envelopes, state)
    const final = isDirection(state.type) && (rankOf(envelope) ?? 0) >= finalRank
    return { at, fingerprint, final }
  })
  const here = drawEndpoints(
    random,
    random.pick(endpoints),
    change,
    events.map((event) => event.at),
  )
  const keepsTrying = random.chance(0.5)
  const attempts = events.flatMap((event, index) =>
    here.flatMap((endpoint) => sendEvent(random, world, endpoint, event, index, keepsTrying)),
  )
  const arrivals = deliveryFacts(attempts, here, world, evidence)
  return { subject: { kind, id }, events, arrivals, delayed: isDelayed(attempts) }
}

/** The envelope of a state is kept by its canonical text, which serves as fingerprint. */
function remember(envelopes: Map<string, Envelope>, { type, subType, status }: State) {
  const data = isDirection(type) ? { direction: type, status } : { status }
  const fingerprint = JSON.stringify({ data, subType, type })
  const known = envelopes.get(fingerprint)
  if (known) return { fingerprint, envelope: known }
  const reading = parseEnvelope(new TextEncoder().encode(fingerprint))
  if (reading.kind === 'unreadable') throw new Error(`No envelope: ${fingerprint}`)
  if (canonicalJson(reading.envelope.fields) !== fingerprint) throw new Error(`Not canonical: ${fingerprint}`)
  envelopes.set(fingerprint, reading.envelope)
  return { fingerprint, envelope: reading.envelope }
}

interface TrueEvent {
  /** The time is in milliseconds since 1970. */
  readonly at: number
  readonly fingerprint: string
  /** The outcome has rank 3 or more, so the transaction is no longer open. */
  readonly final: boolean
}

/** An arrival is a delivery with the event that it truly reports. */
interface SimulatedArrival {
  /** The fact has everything that is ever known beside the delivery. */
  readonly fact: DeliveryFact
  /** The fact has what is known at the first fold, `lateMs` before the rest. */
  readonly atFirst: DeliveryFact
  readonly event: number
}

/** We notice this share of the answers that never reach the sender. */
const noticedShare = 0.5
/** An answer is unsure when its process died at most this many ms later. */
const unsureBeforeDeath = 10_000
/** A refusal is counted by the minute, with its first and last time. Our clocks differ by less than this, in ms. */
const clocksDiffer = 2_000

/** An attempt reached us: it was stored, or refused with 503, before or after its body was read. */
interface Attempt {
  readonly receivedAt: number
  readonly answer: DeliveryFact['answer'] | 'refused' | 'refused-unread'
  readonly endpoint: SimulatedEndpoint
  readonly event: number
  readonly fingerprint: string
  /** The number runs from 1 to 7. */
  readonly number: number
}

/**
 * The sender tries one event at one endpoint until an attempt ends with an answer, or seven have failed. Nothing is sent to
 * a disabled endpoint: a sender that `keepsTrying` counts that as a failed attempt, and another gives up.
 */
function sendEvent(
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
  for (let number = 1; number <= maxAttempts; number++) {
    if (at >= endpoint.deletedAt || (!isOn(endpoint, at) && !keepsTrying)) return received
    const timeOut = random.between(0, world.longestTimeOut)
    const silent = isWithin(world.silences, at) ?? isWithin(endpoint.silences, at)
    const replaced = isWithin(world.replacing, at) !== undefined && random.chance(0.5)
    const atOnce = isWithin(world.deaths, at) !== undefined || replaced || !isOn(endpoint, at)
    let endedAt = at + (silent ? timeOut : random.between(1, 50))
    if (!silent && !atOnce) {
      const receivedAt = at + random.between(2, 100)
      const unread = isWithin(world.refusingUnread, at) !== undefined
      const refused = unread || isWithin(world.refusing, at) !== undefined
      const lost = random.chance(world.lostShare)
      const noticed = lost && random.chance(noticedShare)
      const dying = beginningWithin(world.deaths, receivedAt, receivedAt + unsureBeforeDeath).length > 0
      const answer = unread ? 'refused-unread' : refused ? 'refused' : noticed || dying ? 'unsure' : 'sure'
      received.push({ receivedAt, answer, endpoint, event, fingerprint, number })
      if (!lost && !refused) return received
      endedAt = receivedAt + (random.chance(0.5) ? random.between(1, 50) : timeOut)
    }
    at = endedAt + retryDelaySeconds(number) * 1000 + random.waiting(200)
  }
  return received
}

/** The facts are what is stored of these attempts, in order of arrival, with the evidence kept beside it. */
function deliveryFacts(
  sent: readonly Attempt[],
  endpoints: readonly SimulatedEndpoint[],
  world: SimulatedWorld,
  withEvidence: boolean,
): SimulatedArrival[] {
  const inOrder = sent.toSorted((a, b) => a.receivedAt - b.receivedAt)
  const stored = inOrder.flatMap((attempt) =>
    isRefused(attempt)
      ? []
      : [{ ...attempt, answer: attempt.answer === 'unsure' ? ('unsure' as const) : ('sure' as const) }],
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
    if (!withEvidence) return { event, fact, atFirst: fact }
    const known = (lateMs: number) => ({ ...fact, ...evidenceOf(attempt, inOrder, endpoints, world, lateMs) })
    const soon = known(0)
    return { event, fact: soon, atFirst: world.lateMs === 0 ? soon : known(world.lateMs) }
  })
}

/** The answer is true when an event reached an endpoint by a retry alone. Such lives are next to an outage. */
const isDelayed = (sent: readonly Attempt[]): boolean =>
  [
    ...Map.groupBy(
      sent.filter((attempt) => !isRefused(attempt)),
      ({ event, endpoint }) => `${event} ${endpoint.receiver}`,
    ).values(),
  ].some(([first]) => (first?.number ?? 1) > 1)

function evidenceOf(
  { receivedAt, endpoint, fingerprint }: Attempt,
  all: readonly Attempt[],
  endpoints: readonly SimulatedEndpoint[],
  world: SimulatedWorld,
  lateMs: number,
): Partial<DeliveryFact> {
  const refusedAt = all.flatMap((one) =>
    one.answer === 'refused' &&
    one.endpoint === endpoint &&
    one.fingerprint === fingerprint &&
    one.receivedAt < receivedAt
      ? [one.receivedAt]
      : [],
  )
  const refusals = refusedMinutes(all.filter((one) => isRefused(one) && one.endpoint === endpoint))
  const since = receivedAt - day
  const outages = [
    ...beginningWithin(world.pauses, since, receivedAt),
    ...beginningWithin(world.noticed, since, receivedAt),
    ...endpoint.knownOff,
    ...refusals,
  ]
  const others = endpoints.filter((one) => one !== endpoint && isKnownOn(one, receivedAt))
  return {
    offPeriods: knownOffPeriods(endpoint, receivedAt),
    otherReceivers: others.length,
    refusedAt,
    earliestAttempt: earliestAttempt(
      receivedAt,
      outages.filter(({ ended }) => lateMs === 0 || ended + lateMs < receivedAt),
    ),
  }
}

const isRefused = ({ answer }: Attempt) => answer === 'refused' || answer === 'refused-unread'

/** Each interval reaches from the first to the last refusal of a minute. */
function refusedMinutes(refused: readonly Attempt[]): TimeInterval[] {
  const byMinute = Map.groupBy(refused, ({ receivedAt }) => Math.floor(receivedAt / 60_000))
  return [...byMinute.values()].map((some) => ({
    began: Math.min(...some.map(({ receivedAt }) => receivedAt)) - clocksDiffer,
    ended: Math.max(...some.map(({ receivedAt }) => receivedAt)) + clocksDiffer,
  }))
}
