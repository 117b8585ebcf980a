import { accountScenarios } from './account-scenarios.ts'
import { assumedScenarios } from './assumed-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { transactionScenarios, troubleScenarios } from './transaction-scenarios.ts'

/** Everything that can be played: every event type of §2.3, every status of §3.2 and §3.3. */
export const scenarios: readonly Scenario[] = [
  ...transactionScenarios,
  ...accountScenarios,
  ...assumedScenarios,
  ...troubleScenarios,
]

export const findScenario = (name: string) => scenarios.find((scenario) => scenario.name === name)
