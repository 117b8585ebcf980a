import {
  type PayoutPhase,
  paymentPhase,
  type ReceiptPhase,
  type TransactionStanding,
} from '../rules/money.ts'

// The words that stand beside an amount, for staff and wherever nobody speaks to a customer.

/** Beside the amount that comes in. */
export const receiptLabels = {
  expected: 'Expected',
  received: 'Received',
  sent: 'Sent',
  unstated: 'Amount in',
} as const satisfies Record<ReceiptPhase, string>

/** Beside the amount that goes out. */
export const payoutLabels = {
  'to-be-paid-out': 'To be paid out',
  'on-its-way': 'On its way',
  'paid-out': 'Paid out',
  'was-to-be-paid-out': 'Was to be paid out',
  unstated: 'Amount out',
} as const satisfies Record<PayoutPhase, string>

/** What a line of a file ends with, so that a step that failed is not read as money that was paid out. */
export function paymentCells(
  transaction: Omit<TransactionStanding, 'conflict'> & { readonly flags: readonly string[] },
) {
  return paymentWords({ ...transaction, conflict: transaction.flags.includes('conflict') })
}

/** Both words as files and copied texts carry them, "was to be paid out"; null where the step says nothing. */
export function paymentWords(standing: TransactionStanding): {
  receipt: string | null
  payout: string | null
} {
  const { receipt, payout } = paymentPhase(standing)
  return {
    receipt: receipt === 'unstated' ? null : receiptLabels[receipt].toLowerCase(),
    payout: payout === 'unstated' ? null : payoutLabels[payout].toLowerCase(),
  }
}
