import type { OwnTransactionDetailsView } from '#lib/people/own/get-own-transaction.ts'

/** Whether money has come or gone back for good: what failed, still moves or is unclear has nothing to print. */
export const hasReceipt = ({
  step,
  conflict,
}: Pick<OwnTransactionDetailsView, 'step' | 'conflict'>): boolean =>
  !conflict && (step === 'SUCCESS' || step === 'REFUNDED')
