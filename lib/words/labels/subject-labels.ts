import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import type { SubjectKind } from '#lib/deliveries/rules/subject.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** What people call each kind; §2 has one uuid for persons and companies. */
export const subjectLabels = {
  transaction: 'Transaction',
  'bank-account': 'Bank account',
  entity: 'Person or company',
  unknown: 'Unnamed event',
} as const satisfies Record<SubjectKind, string>

/** What an event of this type is about. */
export const subjectLabel = (kind: SubjectKind, type: string | null): string =>
  kind === 'entity' && isCompanyType(type) ? 'Company' : subjectLabels[kind]

/** What masked fields are called that may be shown whole, or asked about. */
export const fieldLabels = {
  dateOfBirth: 'Date of birth',
  'parties.sender.iban': 'The sender’s IBAN',
  'parties.sender.name': 'The sender’s name',
  'parties.beneficiary.accountNumber': 'The receiver’s account number',
  'parties.beneficiary.name': 'The receiver’s name',
} as const

/** Null for a field without words. */
export const fieldLabel = (field: string): string | null => ownValue<string>(fieldLabels, field) ?? null
