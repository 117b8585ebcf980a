import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Amount } from '#components/ui/shared/amount.tsx'
import { payoutLabels, receiptLabels } from '#lib/transactions/labels/payment-labels.ts'
import { type PaymentPhase, paymentPhase, type TransactionStanding } from '#lib/transactions/rules/money.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

type Paid = TransactionStanding &
  Pick<TransactionView, 'amountFiat' | 'amountCrypto' | 'currencyFiat' | 'currencyCrypto'>

/** One side of a payment. */
export interface PaidSide {
  /** What the step says of it: "Paid out", "Was to be paid out". */
  readonly label: string
  readonly value: string | null
  readonly currency: string | null
  readonly amount: ReactNode
  /** For lists, where no label stands beside it: muted until the money moved, struck out where it will not. */
  readonly marked: ReactNode
  /** How it is marked: muted, struck out; null for neither. */
  readonly look: string | null
}

/** What the customer gives, then what the customer gets, each with the word that its step allows. */
export function paidAmounts(paid: Paid): readonly [paidIn: PaidSide, paidOut: PaidSide] {
  const { direction, amountFiat, amountCrypto, currencyFiat, currencyCrypto } = paid
  const { receipt, payout } = paymentPhase(paid)
  const fiat = [amountFiat, currencyFiat] as const
  const crypto = [amountCrypto, currencyCrypto] as const
  const [given, gotten] = direction === 'cryptoToFiat' ? [crypto, fiat] : [fiat, crypto]
  return [
    sideOf(receiptLabels[receipt], looks[receipt], given),
    sideOf(payoutLabels[payout], looks[payout], gotten),
  ]
}

function sideOf(
  label: string,
  look: string | null,
  [value, currency]: readonly [value: string | null, currency: string | null],
): PaidSide {
  const amount = <Amount value={value} currency={currency} />
  const marked =
    look === null || value === null ? (
      amount
    ) : (
      <span title={label} className={clsx('font-normal', look)}>
        {amount} <span className="sr-only">({label.toLowerCase()})</span>
      </span>
    )
  return { label, value, currency, amount, marked, look }
}

const looks = {
  expected: 'text-muted',
  received: null,
  sent: null,
  'to-be-paid-out': 'text-muted',
  'on-its-way': 'text-muted',
  'paid-out': null,
  'was-to-be-paid-out': 'text-muted line-through',
  unstated: null,
} as const satisfies Record<PaymentPhase['receipt' | 'payout'], string | null>
