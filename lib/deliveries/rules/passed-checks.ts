import type { StateOf, UserStatus } from './event-states.ts'
import type { companyTypes } from './event-types.ts'

/** ASSUMED, since §6.7 shows none: what `data.status` of an AML event says when nothing was found. */
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

/** ASSUMED likewise: what it says while the check goes on, so that there is nothing to look at yet. */
export const openChecks = ['IN_REVIEW', 'PENDING'] as const

/** ASSUMED: what a KYC event says when somebody cannot go on by themselves. */
export const failedVerifications = [
  'SOFT_KYC_FAILED',
  'HARD_KYC_FAILED',
  'SUSPENDED',
] as const satisfies readonly UserStatus[]

/** ASSUMED, since §6.7 shows none: what is said of a company that cannot go on by itself: of its verification, or of the entity. */
export const failedCompanies = ['KYB_FAILED', 'SUSPENDED'] as const satisfies readonly StateOf<
  (typeof companyTypes)[number]
>[]
