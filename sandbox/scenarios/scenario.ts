import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/random.ts'
import type { EventPerson } from './bodies.ts'
import type { PathStep } from './paths.ts'

export const scenarioGroups = [
  'Fiat to stablecoin',
  'Stablecoin to fiat',
  'Bank accounts',
  'People and companies',
  'Delivery trouble',
] as const

/** One event of a scenario, `afterSeconds` after the one before it at real pace. */
export interface ScenarioStep {
  readonly afterSeconds: number
  readonly envelope: Envelope
}

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly group: (typeof scenarioGroups)[number]
  /** Among its events are some whose body the contract does not show (§6.7). */
  readonly assumed: boolean
  /** The statuses it sends, in order. */
  readonly sends: string[]
  build(person: EventPerson, random: SeededRandom, startsAt: Date): Played
}

export interface Played {
  readonly transactionUuid?: string
  readonly steps: ScenarioStep[]
}

/** The events of a path in its true order: what one says depends on those before it, not on when it is sent. */
export function buildTransaction(
  transaction: { transactionUuid: string; next(step: PathStep): Envelope },
  path: PathStep[],
): { transactionUuid: string; steps: ScenarioStep[] } {
  const steps = path.map((step) => ({ afterSeconds: step.afterSeconds, envelope: transaction.next(step) }))
  return { transactionUuid: transaction.transactionUuid, steps }
}

/** Makes scenarios of one thing that goes from status to status. */
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
