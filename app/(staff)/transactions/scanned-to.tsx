'use client'

import { Button } from '#components/ui/button.tsx'
import { Time } from '#components/ui/time.tsx'
import type { TransactionSort } from '#lib/transactions/rules/transaction-filters.ts'

/** The text says how far a page has read for a filter with few matches, and offers to read further. */
export function ScannedTo({
  to,
  sort,
  onFurther,
}: {
  readonly to: string
  readonly sort: TransactionSort
  readonly onFurther: (() => void) | null
}) {
  return (
    <div
      role="note"
      className="flex flex-wrap items-center justify-between gap-3 border-t bg-hover px-3.5 py-2.5 text-sm"
    >
      <p>
        Few match, so this page looked {sort === 'amount' ? 'down to amounts of ' : 'back to '}
        {sort === 'amount' ? to.replace('-Infinity', '0') : <Time at={to} style="minute" />}. There may be
        more beyond.
      </p>
      {onFurther && (
        <Button size="sm" onClick={onFurther}>
          Search further
        </Button>
      )}
    </div>
  )
}
