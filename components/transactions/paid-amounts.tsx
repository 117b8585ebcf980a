import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Amount } from '#components/ui/shared/amount.tsx'
import { payoutLabels, receiptLabels } from '#lib/transactions/labels/payment-labels.ts'
import { type PaymentPhase, paymentPhase, type TransactionStanding } from '#lib/transactions/rules/money.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

type Paid = TransactionStanding &
  Pick<TransactionView, 'amountFiat' | 'amountCrypto' | 'currencyFiat' | 'currencyCrypto'>

/** A payment has two sides. */
export interface PaidSide {
  /** The step decides the label: "Paid out", "Planned payout". */
  readonly label: string
  readonly value: string | null
  readonly currency: string | null
  readonly amount: ReactNode
  /** Lists have no label beside the amount, so it is grey until the money moved, and struck out when it will not. */
  readonly marked: ReactNode
  /** `className` is the style: grey or struck out; null for neither. */
  readonly className: string | null
}

/** The first side is what the customer gives, the second what they get, each with the label of its step. */
export function paidAmounts(paid: Paid): readonly [paidIn: PaidSide, paidOut: PaidSide] {
  const { direction, amountFiat, amountCrypto, currencyFiat, currencyCrypto } = paid
  const { receipt, payout } = paymentPhase(paid)
  const fiat = [amountFiat, currencyFiat] as const
  const crypto = [amountCrypto, currencyCrypto] as const
  const [given, gotten] = direction === 'cryptoToFiat' ? [crypto, fiat] : [fiat, crypto]
  return [
    sideOf(receiptLabels[receipt], classNames[receipt], given),
    sideOf(payoutLabels[payout], classNames[payout], gotten),
  ]
}

function sideOf(
  label: string,
  className: string | null,
  [value, currency]: readonly [value: string | null, currency: string | null],
): PaidSide {
  const amount = <Amount value={value} currency={currency} />
  const marked =
    className === null || value === null ? (
      amount
    ) : (
      <span title={label} className={clsx('font-normal', className)}>
        {amount} <span className="sr-only">({label.toLowerCase()})</span>
      </span>
    )
  return { label, value, currency, amount, marked, className }
}

const classNames = {
  expected: 'text-muted',
  received: null,
  sent: null,
  'to-be-paid-out': 'text-muted',
  'on-its-way': 'text-muted',
  'paid-out': null,
  'was-to-be-paid-out': 'text-muted line-through',
  unstated: null,
} as const satisfies Record<PaymentPhase['receipt' | 'payout'], string | null>
