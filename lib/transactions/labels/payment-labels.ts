import {
  type PayoutPhase,
  paymentPhase,
  type ReceiptPhase,
  type TransactionStanding,
} from '../rules/money.ts'

// Staff read these labels beside an amount; so does any page that does not address a customer.

/** The label is beside the amount that comes in. */
export const receiptLabels = {
  expected: 'Expected',
  received: 'Received',
  sent: 'Sent',
  unstated: 'Amount in',
} as const satisfies Record<ReceiptPhase, string>

/** The label is beside the amount that goes out. */
export const payoutLabels = {
  'to-be-paid-out': 'Payout pending',
  'on-its-way': 'On its way',
  'paid-out': 'Paid out',
  'was-to-be-paid-out': 'Planned payout',
  unstated: 'Amount out',
} as const satisfies Record<PayoutPhase, string>

/** These cells end each line of a file, so that nobody reads the amount of a failed step as paid out. */
export function paymentCells(
  transaction: Omit<TransactionStanding, 'conflict'> & { readonly flags: readonly string[] },
) {
  return paymentWords({ ...transaction, conflict: transaction.flags.includes('conflict') })
}

/** Files and copied texts contain both labels as plain words, "planned payout"; null when the step says nothing. */
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
