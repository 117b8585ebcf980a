import type { StateOf, UserStatus } from './event-states.ts'
import type { companyTypes } from './event-types.ts'

/** ASSUMED, since §6.7 shows none: an AML event has one of these in `data.status` when the check found nothing. */
export const passedChecks = [
  'PASSED',
  'PASS',
  'APPROVED',
  'ACCEPTED',
  'CLEAR',
  'CLEARED',
  'COMPLETED',
  'SUCCESS',
  'OK',
] as const

/** ASSUMED likewise: an AML event has one of these while the check is running, so that it needs no attention yet. */
export const openChecks = ['IN_REVIEW', 'PENDING'] as const

/** ASSUMED: a KYC event has one of these when a person cannot continue without help. */
export const failedVerifications = [
  'SOFT_KYC_FAILED',
  'HARD_KYC_FAILED',
  'SUSPENDED',
] as const satisfies readonly UserStatus[]

/**
 * ASSUMED, since §6.7 shows none: a company has one of these when it cannot continue without help, in its verification or as
 * an entity.
 */
export const failedCompanies = ['KYB_FAILED', 'SUSPENDED'] as const satisfies readonly StateOf<
  (typeof companyTypes)[number]
>[]
