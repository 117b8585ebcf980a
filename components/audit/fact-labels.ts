import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole } from '#lib/access/rules/roles.ts'
import { lookLabels } from '#lib/operations/labels/look-labels.ts'
import { isLookKind } from '#lib/operations/rules/look-kinds.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import { fieldLabel } from '#lib/words/labels/field-labels.ts'

/** What a fact of an entry is called. One that is not listed is spelt out from its name, see `factLabel`. */
const factLabels: Readonly<Record<string, string>> = {
  about: 'About',
  accountNumber: 'Account number',
  by: 'How',
  description: 'Description',
  deliversTo: 'Delivers to',
  endpointUuid: 'Endpoint',
  error: 'The service’s error',
  fingerprint: 'Fingerprint of the key',
  from: 'From',
  iban: 'IBAN',
  kycShareToken: 'KYC share tokens',
  look: 'Which',
  marked: 'Alarms marked as seen',
  matches: 'Matches',
  max: 'Amount up to',
  method: 'Way to sign in',
  min: 'Amount from',
  minute: 'In the minute from',
  note: 'Note',
  number: 'Customer number',
  outcome: 'Outcome',
  pace: 'Deliveries a second',
  person: 'Person',
  publicSignUp: 'Public sign-up',
  replaces: 'Replaces the endpoint',
  retentionDays: 'Days that events are kept',
  logMonths: 'Months that bodies and events are kept',
  revealTicketPattern: 'What a reason for a reveal must be like',
  said: 'The service said',
  search: 'Link of the search',
  subscribedEvents: 'Types of events',
  ticketAddress: 'Address of tickets',
  to: 'To',
  url: 'Address',
  verificationUrl: 'Page where customers verify themselves',
  who: 'Who',
  why: 'Why',
}

/** "Subscribed events" for `subscribedEvents`, `subscribed_events` and `subscribed-events`, where no other words are given. */
export function factLabel(name: string): string {
  const words =
    ownValue(factLabels, name) ??
    name
      .replace(/[_-]+/g, ' ')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a fact says, in words where there are any. */
export function factText(name: string, value: string): string {
  if (value === 'true' || value === 'false') return value === 'true' ? 'yes' : 'no'
  if (name === 'look' && value === '1') return 'those that failed lately'
  if (name === 'kind' && isLookKind(value)) return lookLabels[value].many
  if (name === 'field') return fieldLabel(value) ?? factLabel(value)
  const role = name === 'role' ? parseRole(value) : null
  return role ? roleLabels[role] : value || 'none'
}
