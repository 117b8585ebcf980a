import type { SubjectKind } from '#lib/domain/delivery/subject.ts'

/** What people call each kind; §2 has one uuid for persons and companies. */
export const subjectLabels = {
  transaction: 'Transaction',
  'bank-account': 'Bank account',
  entity: 'Person or company',
  unknown: 'Unnamed event',
} as const satisfies Record<SubjectKind, string>
