import { userStatuses } from '#lib/deliveries/rules/event-states.ts'
import { accountStatuses, isStep } from '#lib/deliveries/rules/steps.ts'
import { maskAccountNumber, maskPerson, maskWholly } from './mask.ts'
import type { Role } from './roles.ts'
import { type Information, visibilityOf } from './visibility.ts'

/** What of a value of this sort may leave the server for a role; null where it is hidden. */
export function showValue<Value>(role: Role, sort: Information, value: Value): Value | string | null {
  if (value === null) return null
  switch (visibilityOf(role, sort)) {
    case 'plain':
      return value
    case 'known':
      return isKnownState(value) ? value : null
    case 'masked':
    case 'reveal':
      return typeof value === 'string' ? maskOf[sort](value) : maskWholly()
    case 'hidden':
      return null
  }
}

/** Steps, statuses of accounts and reasons of which customers are told. Any other may speak of what they must not know. */
const isKnownState = (value: unknown): boolean =>
  typeof value === 'string' && (isStep(value) || knownStates.has(value))

/** `data.status` names these two reasons to hold in §6.1. */
const knownStates: ReadonlySet<string> = new Set([
  ...accountStatuses,
  ...userStatuses,
  'ON_HOLD_KYC',
  'ON_HOLD_PROCESS',
])

const maskOf = {
  fact: maskWholly,
  state: maskWholly,
  staff: maskWholly,
  'free-text': maskWholly,
  person: maskPerson,
  wallet: maskAccountNumber,
  counterparty: maskPerson,
  'own-account-number': maskAccountNumber,
  'account-number': maskAccountNumber,
  'birth-date': maskWholly,
  suspicion: maskWholly,
  'suspicion-body': maskWholly,
  body: maskWholly,
  unknown: maskWholly,
  endpoint: maskWholly,
  receiver: maskWholly,
} as const satisfies Record<Information, (text: string) => string>
