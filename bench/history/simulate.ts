import { type Envelope, parseEnvelope } from '#lib/domain/envelope.ts'
import { canonicalJson } from '#lib/domain/json.ts'
import { attempts, retryDelaySeconds } from '#lib/domain/retry-schedule.ts'
import type { DeliveryFact } from '#lib/domain/same-or-new.ts'
import type { Direction } from '#lib/domain/steps.ts'
import type { Subject } from '#lib/domain/subject.ts'
import { drawLife, type State } from './paths.ts'
import { type Random, seeded } from './random.ts'

/** What truly happened to one transaction, and all that was received of it, in order of arrival. */
export interface History {
  readonly subject: Subject
  readonly events: readonly TrueEvent[]
  readonly arrivals: readonly Arrival[]
}

export interface TrueEvent {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly fingerprint: string
  /** An outcome of rank 3 or more: the transaction is no longer open. */
  readonly final: boolean
}

/** A delivery, and which of the events it truly tells of. */
export interface Arrival {
  readonly fact: DeliveryFact
  readonly event: number
}

export interface Simulation {
  readonly histories: Iterable<History>
  /** By fingerprint. */
  readonly envelopes: ReadonlyMap<string, Envelope>
}

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)
const days = 30
const receivers = ['receiver-a', 'receiver-b'] as const

/** Answers that never reach the sender, and how many of them we notice. */
const lostShare = 0.01
const noticedShare = 0.5
const longestTimeOut = 30_000
const outagesPerDay = 2
const outageLasts = 15 * 60_000

/**
 * Transactions over a month, each event sent to two endpoints at once, attempt after attempt (§6.8), each wait counted
 * from the end of an attempt. One answer in a hundred is lost, half of those unnoticed by us; twice a day nothing gets
 * through to either endpoint for a quarter of an hour. The same seed gives the same histories.
 */
export function simulate(transactions: number, seed: number): Simulation {
  const envelopes = new Map<string, Envelope>()
  return { envelopes, histories: histories(transactions, seeded(seed), envelopes) }
}

function* histories(transactions: number, random: Random, envelopes: Map<string, Envelope>) {
  const outages = drawOutages(random)
  for (let number = 0; number < transactions; number++) {
    yield drawHistory(`transaction-${number}`, random, outages, envelopes)
  }
}

interface Outage {
  readonly from: number
  readonly until: number
  /** A dead process refuses at once; a dead network lets every attempt time out. */
  readonly silent: boolean
}

function drawOutages(random: Random): Outage[] {
  return Array.from({ length: (days + 3) * outagesPerDay }, (_, index) => {
    const from = start + (index / outagesPerDay) * day + random.between(0, day / outagesPerDay - outageLasts)
    return { from, until: from + outageLasts, silent: random.chance(0.5) }
  })
}

function drawHistory(
  id: string,
  random: Random,
  outages: readonly Outage[],
  envelopes: Map<string, Envelope>,
): History {
  const { direction, path, stays } = drawLife(random)
  let at = start + random.between(0, days * day)
  const events = path.map((state, index): TrueEvent => {
    if (index > 0) at += (stays[index - 1] ?? 0) * 1000
    return { at, fingerprint: remember(envelopes, direction, state), final: finals.has(state[0]) }
  })
  const sent = events.flatMap((event, index) =>
    receivers.flatMap((receiver) =>
      send(random, outages, event.at).map((received) => ({ ...received, receiver, event: index, ...event })),
    ),
  )
  const arrivals = sent
    .sort((a, b) => a.receivedAt - b.receivedAt)
    .map(({ receivedAt, answer, receiver, fingerprint, event }, index): Arrival => {
      const order = BigInt(index + 1)
      return { event, fact: { id: arrivalId(index), order, receivedAt, receiver, fingerprint, answer } }
    })
  return { subject: { kind: 'transaction', id }, events, arrivals }
}

const finals: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'LIMIT_BREACHED', 'REFUNDED'])
const arrivalId = (index: number) => `delivery-${String(index).padStart(4, '0')}`

interface Received {
  readonly receivedAt: number
  readonly answer: DeliveryFact['answer']
}

/** The sender's way with one event and one endpoint: until an attempt ends with an answer, or seven have failed. */
function send(random: Random, outages: readonly Outage[], happenedAt: number): Received[] {
  const received: Received[] = []
  let at = happenedAt + 50 + random.waiting(200)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const outage = outages.find(({ from, until }) => at >= from && at < until)
    const timeOut = random.between(0, longestTimeOut)
    let endedAt = at + (outage && !outage.silent ? random.between(1, 50) : timeOut)
    if (!outage) {
      const receivedAt = at + random.between(2, 100)
      const lost = random.chance(lostShare)
      const noticed = lost && random.chance(noticedShare)
      received.push({ receivedAt, answer: noticed ? 'unsure' : 'sure' })
      if (!lost) return received
      const cut = random.chance(0.5)
      endedAt = receivedAt + (cut ? random.between(1, 50) : timeOut)
    }
    at = endedAt + retryDelaySeconds(attempt) * 1000 + random.waiting(200)
  }
  return received
}

/** The envelope of a state as it would be kept: by its canonical text, which serves as fingerprint. */
function remember(envelopes: Map<string, Envelope>, direction: Direction, [subType, status]: State): string {
  const text = JSON.stringify({ data: { direction, status }, subType, type: direction })
  if (envelopes.has(text)) return text
  const reading = parseEnvelope(new TextEncoder().encode(text))
  if (reading.kind === 'unreadable') throw new Error(`No envelope: ${text}`)
  const fingerprint = canonicalJson(reading.envelope.whole)
  if (fingerprint !== text) throw new Error(`Not canonical: ${text}`)
  envelopes.set(fingerprint, reading.envelope)
  return fingerprint
}
