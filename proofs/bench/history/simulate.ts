import { type Envelope, parseEnvelope } from '../../../lib/deliveries/rules/envelope.ts'
import { canonicalJson } from '../../../lib/deliveries/rules/json.ts'
import { finalRank, isDirection, rankOf } from '../../../lib/deliveries/rules/steps.ts'
import type { Subject } from '../../../lib/deliveries/rules/subject.ts'
import { drawEndpoints } from './endpoints.ts'
import type { State } from './paths.ts'
import { type RandomSource, seeded } from './random.ts'
import type { LifeClass } from './scenarios.ts'
import { deliveryFacts, isDelayed, type SimulatedArrival, sendEvent, type TrueEvent } from './send.ts'
import { day, days, drawWorld, monthStart, type SimulatedWorld } from './world.ts'

/** What truly happened to one subject, and all that was received of it, in order of arrival. */
export interface History {
  readonly subject: Subject
  readonly events: readonly TrueEvent[]
  readonly arrivals: readonly SimulatedArrival[]
  /** Some event reached an endpoint by a retry alone. */
  readonly delayed: boolean
}

export interface Simulation {
  readonly histories: Iterable<History>
  /** By fingerprint. */
  readonly envelopes: ReadonlyMap<string, Envelope>
}

/**
 * Lives over a month, each event sent to every endpoint that gets its type at that moment, attempt after attempt
 * (§6.8), each wait counted from the end of an attempt. One answer in a hundred is lost, half of those unnoticed by
 * us. The same seed gives the same histories.
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

/** The envelope of a state as it would be kept: by its canonical text, which serves as fingerprint. */
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
