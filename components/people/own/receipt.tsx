'use client'

import { Printer } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { nowInSeconds } from '#components/ui/clock.ts'
import { formatDatedTime } from '#components/ui/format-time.ts'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import { useZone } from '#components/ui/time.tsx'

/** Only paper shows this head of a transaction: who issued the receipt, to whom, when, and for what. */
export function ReceiptHead({
  merchant,
  mark,
  issuer,
  title,
  reference,
  children,
}: {
  readonly merchant: string
  readonly mark: string | null
  /** `issuer` is the merchant's legal name, address and contact, as far as known. */
  readonly issuer: readonly string[]
  readonly title: string
  /** `reference` is the transaction's whole id. */
  readonly reference: string
  /** `children` name the receiver of the receipt. */
  readonly children: ReactNode
}) {
  const [words, zone] = [useWords(), useZone()]
  const now = useSyncExternalStore(subscribeToPrinting, nowInSeconds, nowInSeconds)
  const at = formatDatedTime(new Date(now * 1000).toISOString(), now, zone, words.language)
  return (
    <div className="mb-6 hidden border-b pb-4 print:block">
      <MerchantMark name={merchant} mark={mark} whole />
      {issuer.map((line) => (
        <p key={line} className="mt-1 break-words text-muted text-sm">
          {line}
        </p>
      ))}
      <p className="mt-4 font-heading text-lg">{title}</p>
      <p className="mono text-sm">{reference}</p>
      {children}
      <p className="mt-1 text-muted text-sm" suppressHydrationWarning>
        {words('ui.receiptNote', { at, zone: zone === 'UTC' ? 'UTC' : zone.replaceAll('_', ' ') })}
      </p>
    </div>
  )
}

/** A page may be open for long before it is printed. */
function subscribeToPrinting(listener: () => void): () => void {
  window.addEventListener('beforeprint', listener)
  return () => window.removeEventListener('beforeprint', listener)
}

/** The print style makes the page a receipt. */
export const PrintReceipt = ({ children }: { readonly children: string }) => (
  <Button onClick={() => window.print()}>
    <Printer aria-hidden />
    {children}
  </Button>
)
