import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import type { SubjectKind } from '#lib/deliveries/rules/subject.ts'

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
