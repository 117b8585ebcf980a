import { amountField, objectField } from '#lib/deliveries/rules/envelope.ts'
import type { JsonObject } from '#lib/deliveries/rules/json.ts'
import { type Direction, finalRank, isDirection, movesOf } from '#lib/deliveries/rules/steps.ts'
import { textField, writtenField } from '#lib/deliveries/rules/text-field.ts'
import {
  amountNames,
  type TransactionFields,
  transactionFields,
} from '#lib/deliveries/rules/transaction-fields.ts'
import type { Decimal } from '#lib/platform/rules/decimal.ts'
import type { SubjectFold, SubjectStatus } from '#lib/timeline/rules/fold.ts'
import { statusOf } from '#lib/timeline/rules/status.ts'
import type { EventFlag, SubjectEvent } from '#lib/timeline/rules/subject-event.ts'
import { beginOf } from './circumstances.ts'

/** The timeline shows a transaction in this form. Times are times of receipt, in ms since 1970. §6.1, §6.2 */
export interface ProjectedTransaction extends TransactionFields {
  /** The id is the `transactionUuid` in lower case. */
  readonly id: string
  /** Null when no event so far was of a transaction type. */
  readonly direction: Direction | null
  /** The `subType` of the status is one of the known steps or another one; null while there is no direction. */
  readonly step: string | null
  /** The `data.status` of the status is its reason. */
  readonly reason: string | null
  readonly rank: number | null
  /** The stablecoin comes from this address: `sendingAddress` or `sendingWalletAddress`. */
  readonly sendingAddress: string | null
  readonly sender: Sender | null
  readonly beneficiary: Beneficiary | null
  /** The envelope's `uuid` names the user or corporate entity, in lower case. */
  readonly userUuid: string | null
  /** The first delivery about the transaction arrived at this time. */
  readonly startedAt: number
  /** The current step began at this time; null when a rule placed the step, or when there is none. */
  readonly stepBeganAt: number | null
  /** The latest event that no rule placed arrived at this time. */
  readonly lastMoveAt: number
  /** The latest delivery arrived at this time, repetitions included. */
  readonly lastReceivedAt: number
  /** The outcome was first received at this time; null while it is open. */
  readonly finishedAt: number | null
  /** From this time on it had outcomes alone, such as a failure and its refund; null while it is open. */
  readonly endedAt: number | null
  /** The duration goes from the creation to the outcome; null while open, or when a time is not known or may be earlier. */
  readonly durationSeconds: number | null
  /**
   * `late`, `order-unsure` and `repeat-unsure` are set when an event has them and its order matters for the status.
   * `conflict`: the outcome is contradicted. `amount-not-readable`: the last amount given was not a number.
   */
  readonly flags: readonly EventFlag[]
}

export interface Sender {
  readonly name: string | null
  readonly country: string | null
  readonly iban: string | null
  readonly currency: string | null
}

export interface Beneficiary {
  readonly name: string | null
  readonly accountNumber: string | null
  readonly bankCode: string | null
  readonly bankName: string | null
  readonly currency: string | null
}

/**
 * The transaction is computed from its timeline; null for other subjects. Each field has the latest given value. Only
 * events of a transaction type give its status and amounts: a check that names it has rules of its own about who may
 * read it.
 */
export function projectTransaction(fold: SubjectFold): ProjectedTransaction | null {
  const { subject, events } = fold
  const [first] = events
  if (subject.kind !== 'transaction' || !first) return null
  const moves = movesOf(events, ({ envelope }) => envelope.type)
  const status = moves.length > 0 ? fold.status : statusOf([])
  const latest = new LatestValues(moves)
  const owners = moves.length > 0 ? latest : new LatestValues(events)
  const runBy = (kindOf: (move: SubjectEvent) => unknown) => runOf(moves, status.eventId, kindOf)
  const outcome = isFinal(status.rank) ? runBy(({ envelope }) => envelope.subType) : []
  const finishedAt = outcome.length > 0 ? startOf(outcome) : null
  return {
    id: subject.id,
    direction: moves.map(({ envelope }) => envelope.type).find(isDirection) ?? null,
    step: status.subType,
    reason: status.reason,
    rank: status.rank,
    ...latest.fields(),
    sendingAddress: latest.text('sendingAddress') ?? latest.text('sendingWalletAddress'),
    sender: senderOf(latest),
    beneficiary: beneficiaryOf(latest),
    userUuid: owners.latest(({ envelope }) => envelope.uuid?.trim().toLowerCase() || null),
    startedAt: extreme(events, Math.min, (event) => event.firstReceivedAt),
    stepBeganAt: stepBeganAt(moves, status.subType),
    lastMoveAt: extreme(
      events.filter((event) => event.placedBefore === null),
      Math.max,
      (event) => event.firstReceivedAt,
    ),
    lastReceivedAt: extreme(events, Math.max, (event) => event.lastReceivedAt),
    finishedAt,
    endedAt: finishedAt === null ? null : startOf(runBy(({ rank }) => isFinal(rank))),
    durationSeconds: finishedAt === null ? null : durationOf(moves[0], outcome, finishedAt),
    flags: [
      ...flagsOf(events, status),
      ...(latest.hasUnreadableAmount() ? (['amount-not-readable'] as const) : []),
    ],
  }
}

/** Each field is read from the latest event that gives it. */
class LatestValues {
  readonly #newestFirst: readonly SubjectEvent[]

  constructor(timeline: readonly SubjectEvent[]) {
    this.#newestFirst = timeline.toReversed()
  }

  latest<T>(read: (event: SubjectEvent) => T | null): T | null {
    for (const event of this.#newestFirst) {
      const value = read(event)
      if (value !== null) return value
    }
    return null
  }

  fields(): TransactionFields {
    const values = Object.entries(transactionFields).map(([name, kind]) => [
      name,
      kind === 'amount'
        ? readable(this.#amount(name))
        : kind === 'account'
          ? this.written(name)
          : this.text(name),
    ])
    return Object.fromEntries(values)
  }

  /** The last amount given was not a number; an earlier amount does not replace it. */
  hasUnreadableAmount(): boolean {
    return amountNames.some((name) => this.#amount(name) === 'unreadable')
  }

  #amount(name: string): Decimal | 'unreadable' | null {
    return this.latest(({ envelope }) => amountField(envelope.data, name))
  }

  /** The last name of the path is the field; those before it are nested objects. */
  text(...path: readonly string[]): string | null {
    return this.#read(textField, path)
  }

  /** An account number or the like may be a number. */
  written(...path: readonly string[]): string | null {
    return this.#read(writtenField, path)
  }

  #read(read: typeof textField, path: readonly string[]): string | null {
    const name = path.at(-1) ?? ''
    return this.latest(({ envelope }) => read(within(envelope.data, path.slice(0, -1)), name))
  }
}

const readable = (amount: Decimal | 'unreadable' | null) => (amount === 'unreadable' ? null : amount)

const within = (data: JsonObject | null, path: readonly string[]) =>
  path.reduce<JsonObject | null>((object, name) => objectField(object, name), data)

function senderOf(values: LatestValues): Sender | null {
  return unlessEmpty({
    name: values.text('senderDetails', 'senderName'),
    country: values.text('senderDetails', 'senderCountry'),
    iban: values.written('senderDetails', 'accountDetails', 'iban'),
    currency: values.text('senderDetails', 'accountDetails', 'currency'),
  })
}

function beneficiaryOf(values: LatestValues): Beneficiary | null {
  return unlessEmpty({
    name: values.text('beneficiaryDetails', 'receiverName'),
    accountNumber: values.written('beneficiaryDetails', 'accountDetails', 'accountNumber'),
    bankCode: values.written('beneficiaryDetails', 'accountDetails', 'bankCode'),
    bankName: values.text('beneficiaryDetails', 'accountDetails', 'bankName'),
    currency: values.text('beneficiaryDetails', 'accountDetails', 'currency'),
  })
}

const unlessEmpty = <T extends object>(party: T): T | null =>
  Object.values(party).some((value) => value !== null) ? party : null

function stepBeganAt(moves: readonly SubjectEvent[], step: string | null): number | null {
  const steps = moves.map(({ envelope, placedBefore, firstReceivedAt }) => ({
    subType: envelope.subType,
    status: textField(envelope.data, 'status'),
    at: placedBefore === null ? firstReceivedAt : null,
  }))
  return beginOf(steps, step)?.at ?? null
}

/** The moves in a row that are of the same kind as the deciding one, up to it: an outcome may have come more than once. */
function runOf(
  moves: readonly SubjectEvent[],
  deciding: string | null,
  kindOf: (move: SubjectEvent) => unknown,
): readonly SubjectEvent[] {
  const last = moves.findIndex(({ id }) => id === deciding)
  const move = moves[last]
  if (!move) return []
  const other = moves.slice(0, last).findLastIndex((one) => kindOf(one) !== kindOf(move))
  return moves.slice(other + 1, last + 1)
}

const isFinal = (rank: number | null): boolean => (rank ?? 0) >= finalRank
const startOf = (run: readonly SubjectEvent[]): number =>
  extreme(run, Math.min, ({ firstReceivedAt }) => firstReceivedAt)

/**
 * The duration counts only from a creation that was received and not placed by rule, and when no attempt to deliver that or
 * the outcome may have failed before: both times are then those of an attempt.
 */
function durationOf(
  first: SubjectEvent | undefined,
  outcome: readonly SubjectEvent[],
  finishedAt: number,
): number | null {
  if (first?.rank !== 0 || first.placedBefore !== null) return null
  const began = first.firstReceivedAt
  if (mayBeOlder(first, began) || outcome.some((event) => mayBeOlder(event, finishedAt))) return null
  return finishedAt >= began ? (finishedAt - began) / 1000 : null
}

/** An attempt to deliver the event for the first time may have failed before then, in ms since 1970. */
function mayBeOlder({ deliveries }: SubjectEvent, then: number): boolean {
  const { refusedAt = [], earliestAttempt = null } = deliveries[0]?.delivery ?? {}
  return [...refusedAt, ...(earliestAttempt === null ? [] : [earliestAttempt])].some((at) => at < then)
}

function flagsOf(events: readonly SubjectEvent[], status: SubjectStatus): EventFlag[] {
  const decisive = events.filter(
    ({ flags, envelope: { type } }) =>
      flags.includes('decisive') && (!isDirection(type) || type === status.type),
  )
  const any = (flag: EventFlag) => decisive.some((event) => event.flags.includes(flag))
  const flags: EventFlag[] = []
  if (status.conflict) flags.push('conflict')
  if (any('late')) flags.push('late')
  if (any('order-unsure')) flags.push('order-unsure')
  if (any('repeat-unsure')) flags.push('repeat-unsure')
  return flags
}

/** The loop takes any number of events; spreading them into `Math.max` would overflow the stack. */
const extreme = (
  events: readonly SubjectEvent[],
  pick: (a: number, b: number) => number,
  time: (event: SubjectEvent) => number,
) => events.map(time).reduce((a, b) => pick(a, b))

/**
 * Seconds are computed as the difference of two shown times, which are cut to seconds: from 14.9 s to 15.1 s it
 * is 1. The differences between several steps then add up. Times are in milliseconds since 1970.
 */
export const shownSeconds = (from: number, to: number): number =>
  Math.floor(to / 1000) - Math.floor(from / 1000)
