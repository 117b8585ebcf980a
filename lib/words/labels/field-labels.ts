import { ownValue } from '#lib/platform/rules/own-value.ts'

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
