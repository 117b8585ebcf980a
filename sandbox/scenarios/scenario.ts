import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/ids.ts'
import type { EventPerson, TransactionStep } from './bodies.ts'

export const scenarioGroups = [
  'Fiat to stablecoin',
  'Stablecoin to fiat',
  'Bank accounts',
  'People and companies',
  'Delivery trouble',
] as const

/** A step sends one event, `afterSeconds` after the one before it at real pace. */
export interface ScenarioStep {
  readonly afterSeconds: number
  readonly envelope: Envelope
}

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly group: (typeof scenarioGroups)[number]
  /** The flag is true when the contract does not show the body of some event (§6.7). */
  readonly assumed: boolean
  /** The scenario sends these statuses, in order. */
  readonly sends: string[]
  build(person: EventPerson, random: SeededRandom, startsAt: Date): Played
}

interface Played {
  readonly transactionUuid?: string
  readonly steps: ScenarioStep[]
}

/** The events follow the path's true order. Each event depends on those before it, not on its time. */
export function buildTransaction(
  transaction: { transactionUuid: string; next(step: PathStep): Envelope },
  path: PathStep[],
): { transactionUuid: string; steps: ScenarioStep[] } {
  const steps = path.map((step) => ({ afterSeconds: step.afterSeconds, envelope: transaction.next(step) }))
  return { transactionUuid: transaction.transactionUuid, steps }
}

/** Each scenario moves one thing from status to status. */
export const statusScenarios =
  (kind: Pick<Scenario, 'group' | 'assumed'>) =>
  (
    name: string,
    title: string,
    description: string,
    bodies: (person: EventPerson, random: SeededRandom) => (status: string) => Envelope,
    sends: string[],
  ): Scenario => ({
    ...kind,
    name,
    title,
    description,
    sends,
    build: (person, random) => spaced(sends.map(bodies(person, random))),
  })

export const spaced = (envelopes: Envelope[]): Played => ({
  steps: envelopes.map((envelope, index) => ({ afterSeconds: index === 0 ? 0 : 15, envelope })),
})

/** A step of a path comes `afterSeconds` after the one before it at real pace. */
export type PathStep = TransactionStep & { afterSeconds: number }

/**
 * A transaction takes one of these paths (§6.1, §6.2), at the pace of recorded deliveries: 34 s to the transfer, 10 s more.
 * ASSUMED: which status follows which (§3.2 shows no moves).
 */
export const fiatToCryptoPaths = {
  success: [...received(), after(34, 'CRYPTO_TRANSFER_ISSUED'), after(10, 'SUCCESS')],
  held: [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(10, 'SUCCESS'),
  ],
  heldTwice: [
    ...heldTwice(),
    after(60, 'IN_PROGRESS'),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(10, 'SUCCESS'),
  ],
  onHold: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS')],
  heldRefunded: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS'), after(45, 'REFUNDED')],
  failed: [...received(), after(20, 'FAILED')],
  refunded: [...received(), after(20, 'FAILED'), after(45, 'REFUNDED')],
  transferFailed: [
    ...received(),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(20, 'FAILED'),
    after(45, 'REFUNDED'),
  ],
}

export const cryptoToFiatPaths = {
  success: [...received(), after(34, 'FIAT_TRANSFER_ISSUED'), after(25, 'SUCCESS')],
  held: [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(25, 'SUCCESS'),
  ],
  heldTwice: [
    ...heldTwice(),
    after(60, 'IN_PROGRESS'),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(25, 'SUCCESS'),
  ],
  onHold: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS')],
  heldRefunded: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_KYC'), after(45, 'REFUNDED')],
  failed: [...received(), after(20, 'FAILED')],
  refunded: [...received(), after(20, 'FAILED'), after(45, 'REFUNDED')],
  transferFailed: [
    ...received(),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(60, 'FAILED'),
    after(45, 'REFUNDED'),
  ],
  limitBreached: [after(0, 'PENDING'), after(6, 'LIMIT_BREACHED')],
  limitRefunded: [after(0, 'PENDING'), after(6, 'LIMIT_BREACHED'), after(45, 'REFUNDED')],
}

function received(): PathStep[] {
  return [after(0, 'PENDING'), after(4, 'IN_PROGRESS')]
}

function heldTwice(): PathStep[] {
  return [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(8, 'ON_HOLD', 'ON_HOLD_PROCESS'),
  ]
}

function after(afterSeconds: number, subType: string, status?: string): PathStep {
  return { afterSeconds, subType, ...(status && { status }) }
}
