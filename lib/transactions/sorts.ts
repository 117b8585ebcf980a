import 'server-only'
import { z } from 'zod'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import type { TransactionSort } from './rules/transaction-sort.ts'

/** What an order of the list goes by, always from the top down. Of equal values the subject's id decides. */
export interface SortKey {
  /** As the index of the order has it. */
  readonly by: string
  readonly type: 'timestamptz' | 'numeric'
  readonly valueOf: (row: TransactionRow) => string
  /** What `valueOf` can answer. */
  readonly value: z.ZodType<string>
}

const timeSchema = z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0)

const started: SortKey = {
  by: 'started_at',
  type: 'timestamptz',
  valueOf: (row) => row.started_at.toISOString(),
  value: timeSchema,
}

const moved: SortKey = {
  by: 'last_move_at',
  type: 'timestamptz',
  valueOf: (row) => row.last_move_at.toISOString(),
  value: timeSchema,
}

/** No amount is less than any amount. Amounts compare as numbers, whatever their currency. */
const amount: SortKey = {
  by: `COALESCE(amount_fiat, '-Infinity'::numeric)`,
  type: 'numeric',
  valueOf: (row) => row.amount_fiat ?? '-Infinity',
  value: z.string().regex(/^(-?\d+(\.\d+)?|-Infinity)$/),
}

/** Few share a time, many have no amount: of these the newest come first. */
export const sorts = {
  started: [started],
  moved: [moved],
  amount: [amount, started],
} as const satisfies Record<TransactionSort, readonly [SortKey, ...SortKey[]]>
