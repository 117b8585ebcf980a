import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { TransactionStanding } from '#lib/transactions/rules/payment-phase.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** Where a transaction stands whose events are known. */
export const standingOf = ({
  direction,
  step,
  flags,
  events,
}: TransactionDetailsView): TransactionStanding => ({
  direction,
  step,
  conflict: flags.includes('conflict'),
  passed: events.filter(({ type }) => isDirection(type)).map(({ subType }) => subType),
})
