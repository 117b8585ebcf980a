import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import type { SubjectKind } from '#lib/deliveries/rules/subject.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** Each kind of subject has a label. §2 uses one uuid for persons and companies. */
export const subjectLabels = {
  transaction: 'Transaction',
  'bank-account': 'Bank account',
  entity: 'Person or company',
  unknown: 'Unknown event',
} as const satisfies Record<SubjectKind, string>

/** The label names the subject of an event of this type. */
export const subjectLabel = (kind: SubjectKind, type: string | null): string =>
  kind === 'entity' && isCompanyType(type) ? 'Company' : subjectLabels[kind]

/** These labels name masked fields that can be revealed or searched for. */
export const fieldLabels = {
  dateOfBirth: 'Date of birth',
  'parties.sender.iban': 'The sender’s IBAN',
  'parties.sender.name': 'The sender’s name',
  'parties.beneficiary.accountNumber': 'The receiver’s account number',
  'parties.beneficiary.name': 'The receiver’s name',
} as const

/** The result is null for a field without a label. */
export const fieldLabel = (field: string): string | null => ownValue<string>(fieldLabels, field) ?? null
