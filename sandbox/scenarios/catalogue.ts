import type { Envelope } from '../state/event-types.ts'
import { createRandom, type Ids } from '../state/ids.ts'
import { accountScenarios } from './account-scenarios.ts'
import { assumedScenarios } from './assumed-scenarios.ts'
import type { EventPerson } from './bodies.ts'
import type { Scenario } from './scenario.ts'
import { transactionScenarios, troubleScenarios } from './transaction-scenarios.ts'

/** The scenarios cover every event type of §2.3 and every status of §3.2 and §3.3. */
export const scenarios: readonly Scenario[] = [
  ...transactionScenarios,
  ...accountScenarios,
  ...assumedScenarios,
  ...troubleScenarios,
]

export const findScenario = (name: string) => scenarios.find((scenario) => scenario.name === name)

/** The sample is the type's first event in the first scenario that has one, about this person. */
export function sampleEvent(
  ids: Ids,
  type: Envelope['type'],
  person: EventPerson | undefined,
  now: Date,
): Envelope {
  const bare = { type, subType: 'statusUpdate', uuid: person?.uuid ?? ids.uuid('sample'), data: {} }
  if (!person) return bare
  const random = createRandom(ids.whole('sample', 2 ** 32))
  for (const scenario of scenarios) {
    const step = scenario.build(person, random, now).steps.find(({ envelope }) => envelope.type === type)
    if (step) return step.envelope
  }
  return bare
}
