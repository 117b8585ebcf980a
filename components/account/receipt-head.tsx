import type { ReactNode } from 'react'
import { MerchantMark } from '../merchant-mark.tsx'

/** What stands above a transaction on paper alone: whose receipt it is, and of what. */
export const ReceiptHead = ({
  merchant,
  mark,
  title,
  reference,
  children,
}: {
  readonly merchant: string
  readonly mark: string | null
  readonly title: string
  /** The transaction's id, whole. */
  readonly reference: string
  readonly children: ReactNode
}) => (
  <div className="mb-6 hidden border-b pb-4 print:block">
    <MerchantMark name={merchant} mark={mark} />
    <p className="mt-4 font-heading text-lg">{title}</p>
    <p className="mono text-sm">{reference}</p>
    <p className="mt-1 text-muted text-sm">{children}</p>
  </div>
)
