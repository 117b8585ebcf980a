/** ASSUMED, since §6.7 shows none: what `data.status` of an AML event says when there is nothing to look at, or not yet. */
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
  'IN_REVIEW',
  'PENDING',
] as const
